import { execFile, execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freshBundle, MANIFEST } from 'gateway/fresh-bundle.js'
import { COMMIT, VERSION } from 'gateway/version.ts'
import { buildConsole } from './build.ts'
import { buildGateway } from './build-gateway.ts'
import { command, RefusedError, runAsProcess, UsageError } from './cli.ts'
import { folderName, productionFolders, readLock } from './sbom.ts'

const USAGE = `Usage:
  npm run tarball -- [--arch x64|arm64] [--to FOLDER]

Makes sluice-VERSION-linux-ARCH.tar.gz: the bundle of the gateway, its packages, the built console, the paper exchange, the
commands, the units of systemd, and Node. A machine needs nothing else: unpack it and run ./sluice. The same commit and
packages make the same file, byte for byte.

  --arch   default both. Node for another processor than this machine's comes from the registry of npm
  --to     default dist/release`

export const ARCHITECTURES = ['x64', 'arm64'] as const
type Architecture = (typeof ARCHITECTURES)[number]

export const run = command({
  usage: USAGE,
  options: {
    arch: { type: 'string', multiple: true, default: [...ARCHITECTURES] },
    to: { type: 'string', default: 'dist/release' },
  },
  async run({ arch: names, to }, _positionals, { console }) {
    const architectures = names.map((name) => {
      const arch = ARCHITECTURES.find((each) => each === name)
      if (arch === undefined) throw new UsageError(`--arch is "${name}"; it must be x64 or arm64`)
      return arch
    })
    await buildConsole()
    await buildGateway()
    for (const arch of architectures) console.log(await makeTarball(arch, to))
    return 0
  },
})

const execute = promisify(execFile)

/** Without the time at which it ran. */
const GZIP = 'gzip --no-name'

/**
 * Packs what is built: the bundle of the gateway and the console's files.
 * @param zip the program that makes it smaller
 * @returns the path of the file
 */
export async function makeTarball(arch: Architecture, to: string, zip = GZIP): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-tarball-'))
  try {
    const name = `sluice-${VERSION}-linux-${arch}`
    await fill(join(folder, name), arch)
    mkdirSync(to, { recursive: true })
    await pack(folder, name, join(to, `${name}.tar.gz`), zip)
    return join(to, `${name}.tar.gz`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Sorted, of one owner and one time: only what is in the files decides about the bytes. */
export async function pack(folder: string, name: string, file: string, zip = GZIP): Promise<void> {
  const { stdout } = await execute('git', ['log', '-1', '--format=%ct'])
  const same = ['--format=gnu', '--sort=name', `--mtime=@${stdout.trim()}`]
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
  const output = [`--use-compress-program=${zip}`, `--file=${file}`]
  await execute('tar', ['--create', ...same, ...owner, ...output, `--directory=${folder}`, name])
}

/** Taken as they are, as far as `isTaken`. */
const FILES = [
  ...['package.json', '.env.example', 'LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...['docs', 'deploy/systemd', 'deploy/balancer', 'deploy/backup.sh', 'deploy/console/nginx.conf'],
  ...['console/dist', 'scripts/src', 'schema/src'],
  ...['gateway/src', 'gateway/drizzle', 'gateway/drizzle-postgres', 'gateway/dist/bundle'],
  ...['gateway/paper-exchange/src', 'scripts/package.json', 'schema/package.json'],
  ...['gateway/package.json', 'gateway/paper-exchange/package.json'],
]

/** Those of them that are not built. */
const OF_GIT = FILES.filter((path) => !path.includes('/dist'))

/** Those that the commands load, by their names. */
const WORKSPACES = new Map([
  ['gateway', 'gateway'],
  ['paper-exchange', 'gateway/paper-exchange'],
  ['schema', 'schema'],
])

/** What the commands load beside the packages of the gateway: they serve the console. */
const FOR_COMMANDS = ['node_modules/@fastify/static', 'node_modules/helmet']

/** Fills a folder with a release: the tree of the project, without what is not needed to run it. */
async function fill(release: string, arch: Architecture): Promise<void> {
  if (freshBundle() === undefined) throw new RefusedError('The bundle of the gateway is not built')
  const isTaken = takenFiles()
  for (const path of FILES) cpSync(path, join(release, path), { recursive: true, filter: isTaken })
  copyFileSync('deploy/tarball/sluice', join(release, 'sluice'))
  writeFileSync(join(release, 'gateway/dist/commit'), `${COMMIT}\n`)
  leaveOutOfManifest(release)

  const packages = packagesOf([...WORKSPACES.values(), ...FOR_COMMANDS])
  for (const path of packages) {
    const isRun = runFiles(path, arch)
    cpSync(path, join(release, path), { recursive: true, filter: isRun })
  }
  for (const [name, path] of WORKSPACES)
    symlinkSync(join('..', path), join(release, 'node_modules', name))
  const node = await addNode(release, arch)
  const all = new Set([...packagesOf(['console']), ...packages, node])
  const licences = [...all].toSorted().map(licenceOf)
  writeFileSync(join(release, 'THIRD-PARTY-LICENSES.txt'), licences.join('\n'))
}

/** What the images' builds leave out of the commands, and what a release has beside them. */
function takenFiles(): (path: string) => boolean {
  const more = /^scripts\/src\/(demo|demo\.ts|paper-exchange\.ts|serve-console\.ts|up\.ts)$/
  const out = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('scripts/src/') && !more.test(line))
  // Settings, logs and state of what was tried in the tree may have secrets.
  const listIgnored = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z']
  const ignored = execFileSync('git', listIgnored.concat(OF_GIT), { encoding: 'utf8' }).split('\0')
  out.push(...ignored)
  // A release is not built again; what V8 compiled is for the processor that it ran on.
  const built = /\.test\.ts$|^scripts\/src\/build(-\w+)?\.ts$|^gateway\/dist\/bundle\/cache$/
  return (path) => !out.includes(path) && !built.test(path)
}

/** The bundle is used as long as its sources have not changed; there are fewer of them now. */
function leaveOutOfManifest(release: string): void {
  const path = join(release, 'gateway/dist/bundle', MANIFEST)
  const files: Record<string, string> = JSON.parse(readFileSync(path, 'utf8'))
  const kept = Object.entries(files).filter(([file]) => existsSync(join(release, file)))
  // The bundler reads them in another order each time.
  writeFileSync(path, JSON.stringify(Object.fromEntries(kept.toSorted()), undefined, 1))
}

/** The folders of all packages that something runs with. */
function packagesOf(parts: readonly string[]): string[] {
  const lock = readLock()
  const found = new Set(parts.flatMap((part) => [...productionFolders(lock, part)]))
  // Optional packages for other systems are not installed.
  return [...found].filter((path) => path.startsWith('node_modules/') && existsSync(path))
}

/** Without native code for other machines, its sources, and what only compilers and people read. */
function runFiles(folder: string, arch: Architecture): (path: string) => boolean {
  const ofOthers = new RegExp(`/prebuilds/(?!linux-${arch})|\\.musl\\.node$`)
  const unread = /\.([cm]?ts|map|md|markdown|cpp)$|\/\.[^/]+$/
  const sources = /\/(better-sqlite3\/(deps|src)|argon2\/argon2)$/
  return (path) => {
    // Packages inside of it are packages of the list, or are for development.
    if (path === join(folder, 'node_modules')) return false
    return !(ofOthers.test(path) || sources.test(path) || unread.test(path))
  }
}

/**
 * The Node that `npm ci` installs on a machine with this processor, which is another one at times.
 * @returns its folder, with its licence
 */
async function addNode(release: string, arch: Architecture): Promise<string> {
  const name = `node-linux-${arch}`
  const installed = join('node_modules', name)
  const source = existsSync(installed) ? installed : await fetchPackage(installed)
  mkdirSync(join(release, installed, 'bin'), { recursive: true })
  copyFileSync(join(source, 'bin/node'), join(release, installed, 'bin/node'))
  mkdirSync(join(release, 'node_modules/.bin'))
  symlinkSync(`../${name}/bin/node`, join(release, 'node_modules/.bin/node'))
  return source
}

/** Gets a package of the lock file that this machine's processor needs not. @returns its folder */
async function fetchPackage(path: string): Promise<string> {
  const { version, integrity } = readLock()[path] ?? {}
  const name = folderName(path)
  const folder = join('.cache', 'packages', `${name}-${version}`)
  const file = join(folder, `${name}-${version}.tgz`)
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    await execute('npm', ['pack', `${name}@${version}`, `--pack-destination=${folder}`])
  }
  const found = `sha512-${hash('sha512', readFileSync(file), 'base64')}`
  if (found !== integrity) {
    rmSync(folder, { recursive: true })
    throw new RefusedError(`${name}@${version} is not the package that package-lock.json names`)
  }
  await execute('tar', ['--extract', `--file=${file}`, `--directory=${folder}`])
  return join(folder, 'package')
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return [`${'='.repeat(80)}\n${name} ${version}: ${license}\n`, ...texts, ''].join('\n')
}

await runAsProcess(import.meta, run)
