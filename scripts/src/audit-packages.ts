import { execFile } from 'node:child_process'

const TIMEOUT_MS = 10_000
const AUDIT_MS = 10 * 60_000

/** What npm printed. It ends badly when it finds something, and prints that too. */
type Npm = (args: readonly string[], timeoutMs: number) => Promise<string>

export interface Audit {
  /** Null when nothing could be checked. */
  readonly isGood: boolean | null
  readonly text: string
}

/**
 * Whether the registry signed every installed package (`npm audit signatures`). A registry without
 * keys, or one that cannot be reached, proves nothing in either direction.
 */
export async function auditSignatures(npm: Npm = runNpm): Promise<Audit> {
  const registry = (await npm(['config', 'get', 'registry'], TIMEOUT_MS)).trim()
  const without = await missingKeys(registry)
  if (without !== undefined) return { isGood: null, text: `not checked: ${without}` }
  const found = readResult(await npm(['audit', 'signatures', '--json'], AUDIT_MS))
  if (found === undefined)
    return { isGood: null, text: 'not checked: "npm audit signatures" could not finish' }
  const names = [...found.invalid, ...found.missing].map(
    ({ name, version }) => `${name}@${version}`,
  )
  return names.length === 0
    ? { isGood: true, text: 'every package is signed by the registry' }
    : { isGood: false, text: `no good signature: ${names.join(', ')}` }
}

/**
 * Findings of `npm audit` that do not reach what runs, by the id of the advisory, each with the
 * reason and the day on which it was looked at.
 */
const KNOWN: Readonly<Record<string, string>> = {}

/**
 * Whether an advisory is known of a package that runs (`npm audit`). A registry that has none, or
 * that cannot be reached, proves nothing.
 */
export async function auditAdvisories(npm: Npm = runNpm, known = KNOWN): Promise<Audit> {
  const text = await npm(['audit', '--omit=dev', '--json'], AUDIT_MS)
  const advisories = readAdvisories(text)
  if (advisories === undefined)
    return { isGood: null, text: 'not checked: the registry has no advisories' }
  const open = advisories.filter(({ id }) => !(id in known))
  const passed = advisories.length - open.length
  return open.length === 0
    ? {
        isGood: true,
        text: `none of a package that runs${passed === 0 ? '' : `, ${passed} known`}`,
      }
    : {
        isGood: false,
        text: open.map(({ id, name, title }) => `${name}: ${title} (${id})`).join('; '),
      }
}

interface Advisory {
  /** Such as `GHSA-c2qf-rxjj-qqgw`. */
  readonly id: string
  readonly name: string
  readonly title: string
}

/** The advisories of a report, each once; undefined for anything but a report. */
function readAdvisories(text: string): Advisory[] | undefined {
  try {
    const { vulnerabilities } = JSON.parse(text) as {
      readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly unknown[] }>>
    }
    if (vulnerabilities === undefined) return undefined
    const found = new Map<string, Advisory>()
    // What only needs a vulnerable package names that one.
    for (const via of Object.values(vulnerabilities).flatMap((each) => each.via)) {
      const { url, name, title } = Object(via)
      const id = String(url).split('/').at(-1) ?? ''
      if (typeof via === 'object') found.set(id, { id, name, title })
    }
    return [...found.values()]
  } catch {
    return undefined
  }
}

/** Why there are no keys; undefined when there are. */
async function missingKeys(registry: string): Promise<string | undefined> {
  if (!URL.canParse(registry)) return 'npm names no registry'
  const url = new URL('-/npm/v1/keys', registry.endsWith('/') ? registry : `${registry}/`)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!response.ok) return 'the registry offers no keys'
    const { keys } = (await response.json()) as { keys?: readonly unknown[] }
    return Array.isArray(keys) && keys.length > 0 ? undefined : 'the registry offers no keys'
  } catch {
    return 'the registry does not tell its keys'
  }
}

interface Result {
  readonly invalid: readonly { readonly name: string; readonly version: string }[]
  readonly missing: Result['invalid']
}

/** Undefined for anything but the result: without the network npm prints an error. */
function readResult(text: string): Result | undefined {
  try {
    const { invalid, missing } = JSON.parse(text) as Partial<Result>
    return Array.isArray(invalid) && Array.isArray(missing) ? { invalid, missing } : undefined
  } catch {
    return undefined
  }
}

function runNpm(args: readonly string[], timeout: number): Promise<string> {
  return new Promise((resolve) => {
    const options = { timeout, maxBuffer: 64 * 1024 * 1024 }
    execFile('npm', [...args], options, (_error, stdout) => resolve(stdout))
  })
}
