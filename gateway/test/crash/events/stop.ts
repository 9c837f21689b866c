import { setTimeout as sleep } from 'node:timers/promises'
import { finalStates, readJournal } from '../journal-book.ts'
import { readLog } from '../log-book.ts'
import { endedRequests, type Round } from '../round.ts'

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
