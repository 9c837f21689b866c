import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { resumeEverything } from 'schema'
import { overwritePages } from '../../support/overwrite-pages.ts'
import { adminHeader } from '../clients.ts'
import { finalStates, readJournal } from '../journal-book.ts'
import { type Backup, endedRequests, lastSeq, type Round, run } from '../round.ts'
import { chance, pick } from '../world.ts'
import { insist } from './insist.ts'
import { ignoreEnded } from './kill.ts'
import { keysOf } from './rotation.ts'

/** While bots try, and both exchanges are stopped. */
const STOPPED_MS = 300
/** Tables that bots can do without. */
const SALVAGED = ['order_journal', 'request_logs', 'log_minutes', 'audit_entries', 'client_tokens']
/** A backup brings back the others as well. */
const RESTORED = [...SALVAGED, 'clients', 'api_keys', 'admins', 'settings', 'sqlite_schema']

/**
 * Overwrites pages of the database, running or stopped, and does what
 * docs/operations/recovery.md says: reads what is left, or restores the last backup.
 */
export async function damage(round: Round): Promise<void> {
  const { supervisor, random, data } = round
  await supervisor.untilMoment()
  const backup = chance(random, 0.5) ? round.backups.at(-1) : undefined
  const table = pick(random, backup === undefined ? SALVAGED : RESTORED)
  const isRunning = table !== 'sqlite_schema' && chance(random, 0.5)
  if (!isRunning) await supervisor.end(pick(random, ['SIGKILL', 'SIGTERM']))
  const ended = endedRequests(round)
  const fromSeq = lastSeq(round)
  overwrite(round, table)
  if (!isRunning) await supervisor.start().catch(ignoreEnded)
  await supervisor.untilMoment(4)
  await supervisor.end(pick(random, ['SIGKILL', 'SIGTERM']))

  const isWhole = backup === undefined && table !== 'order_journal'
  if (backup === undefined) {
    const saved = round.newFile('salvaged.db')
    await run(round, 'salvage', '--from', data.seen('sluice.db'), '--to', saved)
    await run(round, 'restore', saved, '--replace')
  } else await restoreBackup(round, backup)
  round.recoveries.push(backup === undefined ? 'salvage' : 'backup')
  round.gaps.push({
    fromSeq: backup?.seq ?? (isWhole ? fromSeq : 0),
    toSeq: lastSeq(round),
  })
  forget(round, isWhole ? ended.map(({ journalId }) => journalId) : [])

  await supervisor.start()
  await resume(round)
  if (backup === undefined || backup.keys.join() === keysOf(round).join()) return
  await insist(round, 'rotate-key', () => [])
  await insist(round, 'rotate-key', () => ['--finish', '--end-tokens'])
}

function overwrite({ data, random }: Round, table: string): void {
  const isPartial = table !== 'sqlite_schema' && chance(random, 0.5)
  const some = (pages: readonly number[]) => {
    const drawn = pages.filter(() => chance(random, 0.5))
    return drawn.length > 0 ? drawn : pages.slice(0, 1)
  }
  overwritePages(data.seen('sluice.db'), table, isPartial ? some : undefined)
}

/** With the keys of the time of the backup, and those that are newer after them. */
async function restoreBackup(round: Round, { file, keys }: Backup): Promise<void> {
  const all = new Set([...keys, ...keysOf(round)])
  writeFileSync(round.data.seen('master.key'), `${[...all].join('\n')}\n`)
  await run(round, 'restore', file, '--replace')
}

/** Notes what the restored journal lacks. @param kept the requests that it must not lack */
function forget(round: Round, kept: readonly string[]): void {
  const journal = readJournal(round.data.copyOfDatabase())
  const known = new Set(journal.flatMap(({ id, state }) => (finalStates.has(state) ? [id] : [])))
  for (const id of kept)
    if (!known.has(id)) round.report(`${id} had ended, and is lost although its table was whole`)
  for (const { journalId } of endedRequests(round))
    if (!known.has(journalId)) round.forgotten.add(journalId)
  for (const { id, idempotencyKey, state, sentAtMs } of journal)
    if (state === 'unknown' && sentAtMs === null)
      for (const name of [id, ...(idempotencyKey === null ? [] : [idempotencyKey])])
        round.inDoubt.add(name)
}

/** Both exchanges are stopped after a restore, until an administrator resumes them. */
async function resume(round: Round): Promise<void> {
  const { supervisor, paper, report } = round
  const since = lastSeq(round)
  await sleep(STOPPED_MS)
  const url = await supervisor.url()
  const sent = paper.received({ since }).filter(({ method }) => method !== 'GET')
  for (const { method, path } of sent) report(`${method} ${path} was sent before a resume`)
  const response = await fetch(`${url}${resumeEverything.path}`, {
    method: 'POST',
    headers: { ...(await adminHeader(url)), 'content-type': 'application/json' },
    body: '{}',
  })
  if (!response.ok) report(`a resume got ${response.status}: ${await response.text()}`)
}
