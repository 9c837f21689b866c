import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, RefusedError, runAsProcess, UsageError } from './cli.ts'
import { basesOf, FILES_WITH_BASES } from './pin-images.ts'

const USAGE = `Usage:
  npm run release -- patch|minor|major|X.Y.Z [--dry-run]

Makes a release of what main is at: checks the tree, runs "npm run test:long", writes the version into every package and the
chart, gives the entries under "Unreleased" of CHANGELOG.md the version and the day, commits, tags vX.Y.Z, and makes the files
in dist/release ("npm run artifacts"). Pushes nothing: it prints the command, and the workflow of the tag publishes.
If it ends between the commit and the tag, run it again with the version that it wrote.

  --dry-run   changes nothing: prints what stands in the way, and what would be done`

export const run = command({
  usage: USAGE,
  options: { 'dry-run': { type: 'boolean', default: false } },
  allowPositionals: true,
  async run({ 'dry-run': isDry }, [step, ...more], { console }) {
    if (step === undefined || more.length > 0) throw new UsageError()
    const today = new Date().toISOString().slice(0, 10)
    const release = planRelease('.', step, today)
    for (const problem of release.problems) console.error(`In the way: ${problem}`)
    if (!isDry && release.problems.length > 0) throw new RefusedError('Nothing was changed.')
    if (isDry) console.log(describe(release))
    else makeRelease('.', release, (line) => console.log(line))
    return release.problems.length > 0 ? 1 : 0
  },
})

interface Release {
  readonly version: string
  readonly notes: string
  /** The new text of each file that changes. */
  readonly files: ReadonlyMap<string, string>
  /** Why it cannot be made. */
  readonly problems: readonly string[]
}

const CHANGE_LOG = 'CHANGELOG.md'
const CHART = 'deploy/helm/sluice/Chart.yaml'
/** The packages of this project, which name each other by version, and the one for bots. */
const PACKAGES = ['schema', 'gateway', 'gateway/paper-exchange', 'console', 'scripts', 'docs/bots']

/** Every file that has the version. */
export const VERSIONED = [
  ...['package.json', ...PACKAGES.map((folder) => `${folder}/package.json`)],
  ...['package-lock.json', CHART],
]

/**
 * What a release would be.
 * @param step `patch`, `minor`, `major` or a version
 * @throws RefusedError when that gives no version
 */
export function planRelease(folder: string, step: string, today: string): Release {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  const tags = git(folder, 'tag', '--list', 'v*').split('\n')
  const current: string = JSON.parse(read('package.json')).version
  const version = nextVersion(current, step, tags.includes(`v${current}`))
  const changes = read(CHANGE_LOG)
  // A release that ended before its tag has written them.
  const isWritten = readNotes(changes, version) !== ''
  const notes = readNotes(changes, isWritten ? version : 'Unreleased')
  const files = new Map(VERSIONED.map((path) => [path, withVersion(path, read(path), version)]))
  const dated = changes.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version} - ${today}`)
  files.set(CHANGE_LOG, isWritten ? changes : dated)
  const changed = [...files].filter(([path, text]) => read(path) !== text)
  const problems = [
    ...problemsOf(folder),
    tags.includes(`v${version}`) ? `the tag v${version} exists` : '',
    ENTRY.test(notes) ? '' : `${CHANGE_LOG} has no entry under Unreleased`,
    isWritten && ENTRY.test(readNotes(changes, 'Unreleased'))
      ? `${CHANGE_LOG} has ${version} already, and entries under Unreleased`
      : '',
  ].filter((problem) => problem !== '')
  return { version, notes, files: new Map(changed), problems }
}

/** A line that says what changed. */
const ENTRY = /^- /m

/** A tree that nobody else can get is no release. */
function problemsOf(folder: string): string[] {
  const branch = git(folder, 'rev-parse', '--abbrev-ref', 'HEAD')
  const changed = git(folder, 'status', '--porcelain')
  const bases = FILES_WITH_BASES.flatMap((path) =>
    basesOf(readFileSync(join(folder, path), 'utf8')),
  )
  const unpinned = new Set(bases.filter(({ digest }) => digest === '').map(({ tag }) => tag))
  return [
    branch === 'main' ? '' : `the branch is ${branch}, and releases are made of main`,
    changed === '' ? '' : `files are not committed:\n${changed}`,
    unpinned.size === 0
      ? ''
      : `base images have no digest: ${[...unpinned].join(', ')}. Run "npm run pin-images" and commit`,
  ]
}

/** @param isReleased whether `current` has its tag: the first release is what the tree says */
export function nextVersion(current: string, step: string, isReleased: boolean): string {
  const parts = (version: string) => version.split('.').map(Number)
  const [major = 0, minor = 0, patch = 0] = parts(current)
  const next = {
    major: `${major + 1}.0.0`,
    minor: `${major}.${minor + 1}.0`,
    patch: `${major}.${minor}.${patch + 1}`,
  }
  if (step === 'major' || step === 'minor' || step === 'patch') {
    if (isReleased) return next[step]
    throw new RefusedError(
      `${current} has no tag: release it first, by "npm run release -- ${current}"`,
    )
  }
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(step))
    throw new RefusedError(
      `"${step}" is no version; it must be patch, minor, major or like ${next.minor}`,
    )
  const [newMajor = 0, newMinor = 0, newPatch = 0] = parts(step)
  const difference = newMajor - major || newMinor - minor || newPatch - patch
  if (difference > 0 || (difference === 0 && !isReleased)) return step
  throw new RefusedError(`${step} is not above ${current}, which is released`)
}

function withVersion(path: string, text: string, version: string): string {
  if (path === CHART) return text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`)
  const content: Manifest = JSON.parse(text)
  content.version = version
  const manifests = Object.entries(content.packages ?? { '': content })
  for (const [folder, manifest] of manifests) {
    if (folder !== '' && !PACKAGES.includes(folder)) continue
    manifest.version = version
    for (const list of [manifest.dependencies, manifest.devDependencies])
      for (const name of Object.keys(list ?? {}))
        if (list !== undefined && OWN.includes(name)) list[name] = version
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

/** By these names they ask for each other. */
const OWN = PACKAGES.map((folder) => folder.split('/').at(-1) ?? folder)

/** A `package.json`, or the lock file, which has one for each folder. */
interface Manifest {
  version: string
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly packages?: Readonly<Record<string, Manifest>>
}

const UNRELEASED = '## Unreleased'

/** What the change log says of a version, without its heading; '' when it has none. */
export function readNotes(changes: string, version: string): string {
  const [, ...sections] = changes.split(/^## /m)
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version)
  return section === undefined ? '' : `${section.slice(section.indexOf('\n')).trim()}\n`
}

function describe({ version, notes, files }: Release): string {
  return `Nothing was changed. This would

  run  npm run test:long
  write ${version} into ${[...files.keys()].join(', ') || 'nothing: it is written'}
  run  git commit, git tag v${version}
  run  npm run artifacts -- --tag v${version}

and the release would say:

${notes}`
}

/** @param print gets what is left to do */
export function makeRelease(
  folder: string,
  { version, notes, files }: Release,
  print: (line: string) => void,
): void {
  runNpm(folder, 'test:long')
  const changed = git(folder, 'status', '--porcelain')
  if (changed !== '') throw new RefusedError(`Files have changed during the tests:\n${changed}`)
  for (const [path, text] of files) writeFileSync(join(folder, path), text)
  if (files.size > 0) {
    git(folder, 'add', ...files.keys())
    git(folder, 'commit', '--message', `release: ${version}`)
  }
  git(
    folder,
    'tag',
    '--annotate',
    `v${version}`,
    '--cleanup=verbatim',
    '--message',
    `Sluice ${version}\n\n${notes}`,
  )
  print(`v${version} is tagged. What is left: npm run artifacts -- --tag v${version}`)
  runNpm(folder, 'artifacts', '--', '--tag', `v${version}`)
  print(
    `\nRelease ${version} is made. Publish it with\n\n  git push --atomic origin main v${version}\n`,
  )
}

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
}

/** @throws RefusedError when it fails; it has printed why */
function runNpm(folder: string, ...args: readonly string[]): void {
  const { status } = spawnSync('npm', ['run', ...args], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new RefusedError(`"npm run ${args.join(' ')}" failed`)
}

await runAsProcess(import.meta, run)
