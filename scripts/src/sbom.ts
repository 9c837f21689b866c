import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'

const USAGE = `Usage:
  npm run --silent sbom -- WORKSPACE > sbom.cdx.json

Prints the software bill of materials of a workspace (gateway, console) as CycloneDX: "npm sbom" of the lock file, reduced
to the workspace and what is installed for it without development dependencies. The images of gateway and console contain theirs.`

interface Bom {
  readonly components: readonly { readonly 'bom-ref': string; readonly hashes?: unknown }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/**
 * `npm sbom --omit=dev` is not used: it also leaves out what production needs when another package
 * has it as a development dependency (npm 11.19: better-sqlite3, undici).
 */
export function sbomOf(workspace: string): Bom {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--workspace', workspace]
  const text = execFileSync('npm', args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const bom = JSON.parse(text) as Bom
  const lock = readLock()
  const kept = new Map(
    installedFor(lock, workspace).map((folder) => {
      const { name = folderName(folder), version, integrity } = lock[folder] ?? {}
      return [`${name}@${version}`, integrity]
    }),
  )
  return {
    ...bom,
    components: bom.components
      .filter((component) => kept.has(component['bom-ref']))
      .map((component) => ({ ...hashesOf(kept.get(component['bom-ref'])), ...component })),
    dependencies: bom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  }
}

/**
 * Those of the lock file: npm leaves them out of a package that another one also has inside of it
 * (npm 11.19: util-deprecate).
 */
function hashesOf(integrity: string | undefined) {
  const [, base64] = /^sha512-(\S+)/.exec(integrity ?? '') ?? []
  if (base64 === undefined) return {}
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }] }
}

/**
 * `npm ci --workspace … --omit=dev` also installs what other workspaces run with, when this one has
 * them for its tests: no folder of a workspace counts as for development (npm 11.19).
 */
function installedFor(lock: LockEntries, workspace: string): string[] {
  const others = Object.keys(lock[workspace]?.devDependencies ?? {})
    .map((name) => lock[`node_modules/${name}`])
    .flatMap((entry) => (entry?.link === true && entry.resolved ? [entry.resolved] : []))
  return [workspace, ...others].flatMap((part) => [...productionFolders(lock, part)])
}

/** An entry of `package-lock.json`, as far as it is read here (npm docs, package-lock.json). */
interface LockEntry {
  /** The package's own name, where the folder has another one. */
  readonly name?: string
  readonly version?: string
  /** An SPDX expression (npm docs, package.json, license). */
  readonly license?: string
  /** A link to the folder of a workspace. */
  readonly link?: boolean
  readonly resolved?: string
  readonly integrity?: string
  /** It came inside another package. */
  readonly inBundle?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}
type LockEntries = Readonly<Record<string, LockEntry>>

/** By the folder of each package; the project's own has the name ''. */
export function readLock(): LockEntries {
  return JSON.parse(readFileSync('package-lock.json', 'utf8')).packages
}

/** The name of the folder that a package is installed in: what is imported. */
export function folderName(path: string): string {
  return path.split('node_modules/').at(-1) ?? path
}

/**
 * The folders of a workspace and of everything that `npm ci --omit=dev` installs for it: what it
 * needs in production, and optional packages that the lock file has, for every platform.
 * @throws TypeError when the lock file lacks a package that is needed
 */
export function productionFolders(lock: LockEntries, workspace: string): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [workspace]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue
    found.add(path)
    const entry = lock[path]
    if (entry === undefined) throw new TypeError(`package-lock.json has no ${path}`)
    for (const name of usedBy(entry)) {
      const folder = folderOf(lock, path, name)
      if (folder !== undefined) open.push(folder)
      else if (!isOptional(entry, name))
        throw new TypeError(`package-lock.json has no ${name}, which ${path} needs`)
    }
  }
  return found
}

function usedBy({ dependencies, optionalDependencies, peerDependencies }: LockEntry): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
}

function isOptional(entry: LockEntry, name: string): boolean {
  const { optionalDependencies = {}, peerDependenciesMeta = {} } = entry
  return name in optionalDependencies || peerDependenciesMeta[name]?.optional === true
}

/** Where Node finds a package that a file in a folder imports. */
function folderOf(lock: LockEntries, from: string, name: string): string | undefined {
  const parts = from === '' ? [] : from.split('/')
  for (let length = parts.length; length >= 0; length -= 1) {
    if (parts[length - 1] === 'node_modules') continue
    const folder = [...parts.slice(0, length), 'node_modules', name].join('/')
    const entry = lock[folder]
    if (entry !== undefined) return entry.link === true ? entry.resolved : folder
  }
  return undefined
}

// Without what the other commands share: the image build of the console has this file alone.
const [, started, workspace] = process.argv
if (started !== undefined && realpathSync(started) === import.meta.filename) {
  if (workspace === '--help' || workspace === '-h') console.log(USAGE)
  else if (workspace === undefined) {
    console.error(USAGE)
    process.exitCode = 2
  } else console.log(JSON.stringify(sbomOf(workspace), null, 2))
}
