import Database from 'better-sqlite3'
import { finalStates, readJournal } from '../journal-book.ts'
import { type Backup, endedRequests, lastSeq, type Round } from '../round.ts'
import { insist } from './insist.ts'
import { keysOf } from './rotation.ts'

/** Makes a backup while bots trade. It is intact and has every request that had ended before. */
export async function backup(round: Round): Promise<void> {
  await round.supervisor.untilMoment()
  let made: Backup = { file: '', seq: 0, keys: [] }
  let ended: ReturnType<typeof endedRequests> = []
  await insist(round, 'backup', (at) => {
    const file = round.newFile(`backup-${round.backups.length + 1}-${at}.db`)
    made = { file, seq: lastSeq(round), keys: keysOf(round) }
    ended = endedRequests(round)
    return [file]
  })
  for (const problem of problemsOf(made.file)) round.report(`a backup is damaged: ${problem}`)
  const settled = new Set(
    readJournal(made.file).flatMap(({ id, state }) => (finalStates.has(state) ? [id] : [])),
  )
  for (const { journalId, result } of ended)
    if (!settled.has(journalId))
      round.report(`${journalId} was ${result.kind} before a backup, which lacks its end`)
  round.backups.push(made)
}

/** What SQLite says of a file: nothing when it is intact. */
export function problemsOf(path: string): string[] {
  const db = new Database(path, { readonly: true })
  try {
    const integrity = db.pragma('integrity_check(5)') as { integrity_check: string }[]
    const references = db.pragma('foreign_key_check') as unknown[]
    return [
      ...integrity.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
      ...references.map((row) => JSON.stringify(row)),
    ]
  } finally {
    db.close()
  }
}
