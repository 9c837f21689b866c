import { readFileSync } from 'node:fs'

export const UNKNOWN_COMMIT = 'unknown commit'

/** The bundle is one folder deeper than the sources. */
const PROJECT = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../../../', import.meta.url)

/** Where `npm run build` writes the commit, for images and copies, which have no `.git`. */
export const COMMIT_FILE = new URL('gateway/dist/commit', PROJECT)

/** The number of `package.json`. */
export const VERSION: string = JSON.parse(textOf(new URL('package.json', PROJECT)) ?? '{}').version

/** The commit that this is; `unknown commit` for one that was built without `.git`. */
export const COMMIT = commitOf() ?? textOf(COMMIT_FILE) ?? UNKNOWN_COMMIT

/** Both in one word, as semver has it. */
export const RELEASE = COMMIT === UNKNOWN_COMMIT ? VERSION : `${VERSION}+${COMMIT}`

/** The commit that a checkout is at, its first 12 digits. Read without git. */
export function commitOf(project = PROJECT): string | undefined {
  const git = new URL('.git/', project)
  const head = textOf(new URL('HEAD', git))
  const name = head?.startsWith('ref: ') ? head.slice('ref: '.length) : undefined
  const commit = name === undefined ? head : (textOf(new URL(name, git)) ?? packed(git, name))
  return commit !== undefined && /^[\da-f]{40,64}$/.test(commit) ? commit.slice(0, 12) : undefined
}

/** Git packs the names of branches into one file from time to time. */
function packed(git: URL, name: string): string | undefined {
  const lines = textOf(new URL('packed-refs', git))?.split('\n') ?? []
  return lines.find((line) => line.endsWith(` ${name}`))?.split(' ')[0]
}

/** Undefined when there is no such file. */
function textOf(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined // What is missing is reported as unknown, and stops nobody.
  }
}
