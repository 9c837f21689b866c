import { type AuditHead, type AuditRow, hashOf } from './audit-chain.ts'
import type { AuditProblem } from './audit-store.ts'

/** What is wrong with an entry that follows another; undefined: nothing. */
export function problemOf(
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
export function cutOff(
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
