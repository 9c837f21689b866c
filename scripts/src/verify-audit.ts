/*
 * Checks a signed export of an audit trail, without the gateway and without a network. It imports
 * nothing but Node, so that a copy of this file alone works: node verify-audit.ts FILE --key=KEY
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'

const USAGE = `Usage:
  npm run verify-audit -- FILE --key=KEY [--head ID:HASH ...]
  node verify-audit.ts FILE --key=KEY [--head ID:HASH ...]

Checks a signed export of the audit trail: that no entry was changed, removed, added or moved, and who signed it.
--key=KEY is the public key of the gateway: the console's page "Audit trail" shows it, and so does GET /api/admin/audit/key.
Take it from a note of your own, not from who gave you the file: anybody can sign with another key.
--head ID:HASH is an entry that was seen before, as npm run backup prints it. The export must still have it.
The exit code is 0 when all is proved, 1 when something is wrong, and 2 when something could not be checked.`

/** What a bundle says of itself. */
interface Manifest {
  readonly bundle: 'sluice-audit-trail'
  readonly version: 1
  readonly gateway: string
  /** The hash of the first entry of the whole trail. */
  readonly trail: string
  readonly key: string
  readonly madeAt: string
  readonly madeBy: string
  readonly entries: number
  readonly first: { readonly id: number; readonly previousHash: string } | null
  readonly last: { readonly id: number; readonly hash: string } | null
  readonly head: { readonly id: number; readonly hash: string }
}

interface Known {
  /** The public key of the gateway, 32 bytes in base64url. */
  readonly key?: string | undefined
  /** Entries that were seen before: hashes by id. */
  readonly heads?: ReadonlyMap<number, string>
}

interface Verdict {
  /** What is wrong, in words for people. */
  readonly problems: readonly string[]
  /** Undefined when the file has none that can be read. */
  readonly manifest: Manifest | undefined
  /** Entries that were seen before and are not in the time of this bundle. */
  readonly unseen: readonly number[]
}

/** Checks a bundle in one pass. It keeps one entry at a time. */
export async function verifyBundle(
  bytes: AsyncIterable<Buffer>,
  { key, heads = new Map() }: Known,
): Promise<Verdict> {
  const chain = new ChainCheck(heads)
  let end: Buffer[] = []
  for await (const line of linesOf(bytes)) {
    if (end.length === 0 && line[0] === BRACKET) chain.add(line)
    // More than two are too many already; their number does not matter.
    else end = [...end, line].slice(0, 3)
  }
  const [manifestLine = NOTHING, signatureLine = NOTHING, ...more] = end
  const manifest = readManifest(manifestLine)
  const problems = [...chain.problems]
  if (more.length > 0) problems.push('There are lines after the signature.')
  if (end.length === 0)
    problems.push('The end of the file is missing: it has no signature. Export it again.')
  else if (manifest === undefined)
    problems.push(`Line ${chain.lines + 1} is no entry, and does not say what this bundle is.`)
  else {
    problems.push(...signatureProblems(manifest, manifestLine, signatureLine, key))
    if (problems.length === 0) problems.push(...chain.compare(manifest))
  }
  return { problems, manifest, unseen: [...heads.keys()].filter((id) => !chain.seen.has(id)) }
}

/** Follows the chain of hashes from the first entry of a bundle to its last one. */
class ChainCheck {
  readonly problems: string[] = []
  readonly seen = new Set<number>()
  lines = 0
  #first: { readonly id: number; readonly previousHash: string; readonly hash: string } | undefined
  #last: { readonly id: number; readonly hash: string } | undefined
  readonly #heads: ReadonlyMap<number, string>

  constructor(heads: ReadonlyMap<number, string>) {
    this.#heads = heads
  }

  add(line: Buffer): void {
    this.lines += 1
    // After a break nothing that follows says more.
    if (this.problems.length > 0) return
    const entry = readEntry(line)
    const problem =
      entry === undefined
        ? `Line ${this.lines} cannot be read as an entry.`
        : this.#problemOf(entry)
    if (problem !== undefined) this.problems.push(problem)
    if (entry === undefined) return
    const { id, previousHash } = entry
    const hash = createHash('sha256').update(line).digest('hex')
    this.#first ??= { id, previousHash, hash }
    this.#last = { id, hash }
    const known = this.#heads.get(id)
    if (known !== undefined) this.seen.add(id)
    if (known !== undefined && known !== hash && problem === undefined)
      this.problems.push(`The entry ${id} is not the one that was seen before under this number.`)
  }

  #problemOf({ id, previousHash }: { id: number; previousHash: string }): string | undefined {
    const last = this.#last
    if (last === undefined) return undefined
    if (id > last.id + 1)
      return `The entries ${last.id + 1} to ${id - 1} are missing: they were removed, or moved.`
    if (id <= last.id)
      return `The entry ${id} comes after the entry ${last.id}: it was added, or moved.`
    if (previousHash !== last.hash)
      return `The entry ${last.id} was changed, or the entry ${id} did not follow it.`
    return undefined
  }

  /** What does not fit what the signed line says. */
  compare({ entries, first, last, trail }: Manifest): string[] {
    const problems: string[] = []
    const [begin, end] = [this.#first, this.#last]
    if (begin?.id !== first?.id)
      problems.push(`The bundle begins with entry ${first?.id}, and the file with ${begin?.id}.`)
    else if (begin?.previousHash !== first?.previousHash)
      problems.push(`The entry ${begin?.id} was changed: another one came before it.`)
    if (end?.id !== last?.id)
      problems.push(`The bundle ends with entry ${last?.id}, and the file with ${end?.id}.`)
    else if (end?.hash !== last?.hash) problems.push(`The entry ${end?.id} was changed.`)
    if (this.lines !== entries && problems.length === 0)
      problems.push(`The bundle has ${entries} entries, and the file ${this.lines}.`)
    if (begin?.id === 1 && problems.length === 0 && begin.hash !== trail)
      problems.push('The first entry is of another trail than the signature.')
    return problems
  }
}

/** One entry: the array that its hash is made of. Undefined when it is none. */
function readEntry(line: Buffer): { id: number; previousHash: string } | undefined {
  const columns = parsed(line)
  if (!Array.isArray(columns) || columns.length !== 13) return undefined
  const [id, previousHash] = [columns[0], columns[12]]
  return Number.isSafeInteger(id) && typeof previousHash === 'string'
    ? { id, previousHash }
    : undefined
}

function readManifest(line: Buffer): Manifest | undefined {
  const manifest = parsed(line) as Manifest | null | undefined
  return manifest?.bundle === 'sluice-audit-trail' && manifest.version === 1 ? manifest : undefined
}

/** Undefined for what is no JSON: the caller says which line that is. */
function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString())
  } catch {
    return undefined
  }
}

function signatureProblems(
  { key: signedWith }: Manifest,
  manifestLine: Buffer,
  signatureLine: Buffer,
  key: string | undefined,
): string[] {
  if (key !== undefined && key !== signedWith)
    return [
      `The bundle was signed with another key, ${signedWith}: it is of another gateway, of the time before or after a rotation of the master key, or forged.`,
    ]
  const [, text] = /^\{"signature":"([\w-]{86})"\}$/.exec(signatureLine.toString()) ?? []
  if (text === undefined)
    return ['The end of the file is missing: it has no signature. Export it again.']
  const signature = Buffer.from(text, 'base64url')
  // The last character has bits that belong to no byte: another one in its place is a change, too.
  const isWhole = signature.toString('base64url') === text
  if (isWhole && isSigned(manifestLine, signature, signedWith)) return []
  return ['The line before the signature was changed: the signature does not fit.']
}

function isSigned(line: Buffer, signature: Buffer, x: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return verify(null, line, key, signature)
  } catch {
    return false // The key in the file is none, so nothing was signed with it.
  }
}

const LINE_FEED = 10
/** How an entry begins. */
const BRACKET = 91
const NOTHING: Buffer = Buffer.alloc(0)
/** No entry is as long: a gateway takes bodies of at most 1 MiB. */
const LINE_BYTES_MAX = 16 * 1024 * 1024

/**
 * The lines as bytes, which are what was hashed and signed. They end at a line feed alone: texts of
 * entries may have other separators of Unicode. A line that no gateway writes is cut, and the last
 * one: it may be as long as the file.
 */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const piece of bytes) {
    let from = 0
    for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, from)) {
      yield Buffer.concat([...rest, piece.subarray(from, at)])
      rest = []
      restBytes = 0
      from = at + 1
    }
    if (from < piece.length) rest.push(piece.subarray(from))
    restBytes += piece.length - from
    if (restBytes > LINE_BYTES_MAX) break
  }
  if (rest.length > 0) yield Buffer.concat(rest)
}

/** What was found, in words, and the exit code. */
export function report({ problems, manifest, unseen }: Verdict, key: string | undefined) {
  if (problems.length > 0) return { code: 1, text: shown(['NOT PROVED', ...problems]) }
  const { entries = 0, first, last, gateway, madeAt, madeBy, trail } = manifest ?? {}
  const lines = [
    entries === 0
      ? 'Whole: no entry is of this time.'
      : `Whole: ${entries} entries, ${first?.id} to ${last?.id}, unchanged and in order.`,
    `Made ${madeAt} by ${madeBy}, with Sluice ${gateway}, of the trail ${trail}.`,
    ...(last ? [`The last entry of it is ${last.id}:${last.hash}`] : []),
  ]
  if (key === undefined)
    lines.push(
      `NOT CHECKED: who signed it. Compare the key ${manifest?.key} with a note of your own, and give it as --key.`,
    )
  else lines.push('Signed with the key that you gave.')
  if (unseen.length > 0)
    lines.push(`NOT CHECKED: the entries ${unseen.join(', ')} are not of the time of this bundle.`)
  return { code: key === undefined || unseen.length > 0 ? 2 : 0, text: shown(lines) }
}

/** What a forger wrote must not control the terminal, nor turn the direction of its text. */
const shown = (lines: readonly string[]) =>
  lines.map((line) => line.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?')).join('\n')

async function main(args: string[]): Promise<{ code: number; text: string }> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      key: { type: 'string' },
      head: { type: 'string', multiple: true },
    },
  })
  const [file, ...others] = positionals
  if (values.help === true) return { code: 0, text: USAGE }
  const heads = (values.head ?? []).map((text) => /^([1-9]\d{0,14}):([\da-f]{64})$/.exec(text))
  if (file === undefined || others.length > 0 || heads.includes(null))
    return { code: 2, text: USAGE }
  const known = heads.map((match): [number, string] => [Number(match?.[1]), match?.[2] ?? ''])
  const verdict = await verifyBundle(createReadStream(file), {
    key: values.key,
    heads: new Map(known),
  })
  return report(verdict, values.key)
}

if (import.meta.main) {
  const { code, text } = await main(process.argv.slice(2)).catch((error: Error) => ({
    code: 2,
    text: error.message,
  }))
  process.stdout.write(`${text}\n`)
  process.exitCode = code
}
