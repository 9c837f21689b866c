import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { healthReady, resumeEverything } from 'schema'
import { between, chance, pick } from '../campaign/bot.ts'
import { adminHeader } from '../campaign/clients.ts'
import { type CommandName, GatewayEndedError } from '../campaign/gateway.ts'
import { finalStates, readJournal, readLog } from '../campaign/journal.ts'
import { overwritePages } from '../support/overwrite-pages.ts'
import { type Backup, type EventName, endedRequests, lastSeq, type Round, run } from './round.ts'

const START_MS_MAX = 600

/** Ends the gateway without warning, sometimes the next one while it starts. */
async function kill({ supervisor, random }: Round): Promise<void> {
  await supervisor.untilMoment()
  await supervisor.end('SIGKILL')
  if (chance(random, 0.15)) {
    const starting = supervisor.start().catch(ignoreEnded)
    await sleep(between(random, 0, START_MS_MAX))
    await supervisor.end('SIGKILL')
    await starting
  }
  await supervisor.start()
}

/** @throws any other error */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof GatewayEndedError)) throw error
}

/** For a response that was sent just before the process ended. */
const ARRIVES_WITHIN_MS = 100

/** Stops the gateway as an operator does, and starts it again. */
export async function stop(round: Round): Promise<void> {
  await round.supervisor.untilMoment()
  await stopCleanly(round)
  await round.supervisor.start()
}

/** A clean stop loses nothing: what ended for a bot has its end in the files, and its log row. */
export async function stopCleanly(round: Round): Promise<void> {
  const { supervisor, data, report, metFullDisk } = round
  const url = await supervisor.url()
  const exit = await supervisor.end('SIGTERM')
  if (exit?.code !== 0)
    report(`a clean stop ended with ${exit?.code ?? exit?.signal}: ${exit?.stderr}`)
  await sleep(ARRIVES_WITHIN_MS)
  const database = data.copyOfDatabase()
  const journal = readJournal(database)
  for (const { id, state } of journal)
    if (state === 'queued' || state === 'sent') report(`${id} is ${state} after a clean stop`)
  const settled = new Set(journal.filter(({ state }) => finalStates.has(state)).map(({ id }) => id))
  const ended = endedRequests(round)
  for (const { journalId, result } of ended)
    if (!settled.has(journalId)) report(`${journalId} was ${result.kind}, and has no end on disk`)
  if (metFullDisk.has(supervisor.starts())) return
  const logged = new Set(readLog(database).map(({ requestId }) => requestId))
  for (const { requestId, from } of ended)
    if (from === url && !logged.has(requestId)) report(`${requestId} has no row in the log`)
}

const TRIES = 4
const MOMENT_MS_MAX = 2_500

/**
 * Runs a command until it succeeds, as an operator does. The first tries may be interrupted: the
 * command is killed, or the gateway is killed under it and started again.
 * @param argsOf of each try
 * @throws when it fails without an interruption
 */
async function insist(
  round: Round,
  name: CommandName,
  argsOf: (at: number) => readonly string[],
): Promise<void> {
  for (let at = 1; at <= TRIES; at += 1) {
    const command = round.command(name, ...argsOf(at))
    const isInterrupted = at < TRIES && chance(round.random, 0.25)
    if (isInterrupted) await interrupt(round, command.kill)
    const { code, output } = await command.ended
    if (code === 0) return
    if (!isInterrupted) throw new Error(`${name} ended with ${code}: ${output}`)
  }
}

async function interrupt({ supervisor, random }: Round, killCommand: () => void): Promise<void> {
  await sleep(between(random, 0, MOMENT_MS_MAX))
  if (pick(random, ['command', 'gateway'] as const) === 'command') return killCommand()
  await supervisor.end('SIGKILL')
  await supervisor.start()
}

/** Rotates the master key while bots trade, and ends what the old one signed. */
async function rotation(round: Round): Promise<void> {
  await round.supervisor.untilMoment()
  const [older] = keysOf(round)
  await insist(round, 'rotate-key', () => [])
  if (chance(round.random, 0.5)) await round.supervisor.untilMoment()
  await insist(round, 'rotate-key', () => ['--finish', '--end-tokens'])
  const keys = keysOf(round)
  if (keys.length !== 1 || keys[0] === older)
    round.report(
      `after a rotation the key file has ${keys.length} keys, the first ${keys[0] === older ? 'old' : 'new'}`,
    )
}

/** The lines of the key file. */
const keysOf = ({ data }: Pick<Round, 'data'>): string[] =>
  readFileSync(data.seen('master.key'), 'utf8').trim().split('\n')

/** Makes a backup while bots trade. It is intact and has every request that had ended before. */
async function backup(round: Round): Promise<void> {
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

const READY_WITHIN_MS = 90_000

/** Fills the disk of the gateway, sometimes ends the gateway while it is full, and makes room. */
async function fullDisk(round: Round): Promise<void> {
  const { supervisor, random, metFullDisk, data } = round
  if (data.disk === undefined) return
  await supervisor.untilMoment()
  metFullDisk.add(supervisor.starts())
  data.disk.fill()
  await sleep(between(random, 0, 2_000))
  let isRunning = true
  if (chance(random, 0.5)) {
    await supervisor.end(pick(random, ['SIGKILL', 'SIGTERM']))
    isRunning = await startOnFullDisk(round)
    metFullDisk.add(supervisor.starts())
    await sleep(between(random, 0, 1_000))
  }
  data.disk.free()
  if (!isRunning) await supervisor.start()
  const reasons = await reasonsNotReady(await supervisor.url())
  if (reasons !== '') round.report(`not ready with room on the disk: ${reasons}`)
}

/** @returns false when it could not start, because the reserve is used up as well */
async function startOnFullDisk({ supervisor }: Round): Promise<boolean> {
  try {
    await supervisor.start()
    return true
  } catch (error) {
    if (error instanceof GatewayEndedError && /disk is full/.test(error.exit.stderr)) return false
    throw error
  }
}

/** Waits until the gateway is ready; what it says when it is not in time. */
async function reasonsNotReady(url: string): Promise<string> {
  const untilMs = performance.now() + READY_WITHIN_MS
  for (;;) {
    const response = await fetch(`${url}${healthReady.path}`)
    if (response.status === 200) return ''
    const text = await response.text()
    if (performance.now() > untilMs) return text
    await sleep(100)
  }
}

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
async function damage(round: Round): Promise<void> {
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
  round.gaps.push({ fromSeq: backup?.seq ?? (isWhole ? fromSeq : 0), toSeq: lastSeq(round) })
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

export const EVENTS: Readonly<Record<EventName, (round: Round) => Promise<void>>> = {
  ...{ kill, stop, rotation, backup, damage },
  'full-disk': fullDisk,
}
