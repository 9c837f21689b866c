import { type AuditHead, type AuditRow, FIRST_PREVIOUS_HASH, hashOf } from './audit-chain.ts'

/** Entries that one statement reads. */
const STEP = 1_000

export interface AuditProblem {
  /** The entry at which the chain breaks. */
  readonly id: number
  readonly problem: string
}

export interface VerifiedAudit {
  readonly entries: number
  readonly head: AuditHead | undefined
  /** The first break; undefined when the chain is whole. */
  readonly broken: AuditProblem | undefined
}

/** What a check of the trail reads. */
export interface ReadableTrail {
  /** The entries above an id, lowest first. */
  readAfter(id: number, limit: number): Promise<AuditRow[]>
  head(): Promise<AuditHead | undefined>
  /** The highest id that was ever given. */
  highestId(): Promise<number>
}

/**
 * Verifies a trail from its first entry to its last one.
 * @param known heads that were seen before
 */
export async function verifyTrail(
  trail: ReadableTrail,
  known: readonly AuditHead[],
): Promise<VerifiedAudit> {
  const expected = new Map(known.map(({ id, hash }) => [id, hash]))
  // Before the entries: one may be appended while they are read.
  const highestId = await trail.highestId()
  let last: AuditHead = { id: 0, hash: FIRST_PREVIOUS_HASH }
  for (;;) {
    const rows = await trail.readAfter(last.id, STEP)
    for (const row of rows) {
      const problem = problemOf(row, last, expected.get(row.id))
      if (problem !== undefined)
        return { entries: last.id, head: await trail.head(), broken: { id: row.id, problem } }
      last = row
    }
    if (rows.length < STEP) break
  }
  const broken = cutOff(last.id, known, highestId)
  return { entries: last.id, head: await trail.head(), broken }
}

/** What is wrong with an entry that follows another; undefined: nothing. */
function problemOf(
  row: AuditRow,
  last: AuditHead,
  knownHash: string | undefined,
): string | undefined {
  if (row.id !== last.id + 1) return `the entries ${last.id + 1} to ${row.id - 1} are missing`
  if (row.previousHash !== last.hash) return 'it does not follow the entry before it'
  if (row.hash !== hashOf(row)) return 'it was changed'
  if (knownHash !== undefined && knownHash !== row.hash)
    return 'it is not the entry that was seen before under this number'
  return undefined
}

/** What is missing at the end: entries that the database numbered, or that were seen. */
function cutOff(
  lastId: number,
  known: readonly AuditHead[],
  highest: number,
): AuditProblem | undefined {
  const until = Math.max(highest, ...known.map(({ id }) => id))
  if (until <= lastId) return undefined
  return {
    id: lastId + 1,
    problem: `the end was cut off: the entries ${lastId + 1} to ${until} are missing`,
  }
}
