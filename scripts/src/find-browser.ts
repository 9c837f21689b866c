import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { thisMachine as here, type Machine as MachineOfTools } from './provide-tools.ts'

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

export interface Machine extends MachineOfTools {
  readonly hasBrowser: () => boolean
}

const thisMachine: Machine = {
  ...here,
  hasBrowser: () => findBrowser() !== undefined || existsSync(chromium.executablePath()),
}

/**
 * Makes sure that the browser tests have a browser: looks for one, else installs one, as root with
 * apt-get, and with Playwright where that does not work.
 * @throws one sentence that says what to do when nothing works
 */
export async function provideBrowser(machine: Machine = thisMachine): Promise<void> {
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
