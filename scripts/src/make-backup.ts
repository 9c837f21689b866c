import { setPriority } from 'node:os'
import { recordBackup } from 'gateway/operations/record-backup.ts'
import { type Backup, backUp } from 'gateway/store/sqlite/backup.ts'
import { showProgress } from './backup-progress.ts'
import { RefusedError, startFailure } from './cli.ts'

/** The gateway goes first when both want the processor. */
const LOWEST_PRIORITY = 19
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Makes a backup at the lowest priority, and shows how far it is. A signal stops it.
 * @param path of the database
 * @param target a file that does not exist yet
 */
export async function makeBackup(path: string, target: string): Promise<Backup> {
  setPriority(LOWEST_PRIORITY)
  const stop = new AbortController()
  for (const signal of STOP_SIGNALS)
    process.once(signal, () => stop.abort(new RefusedError('Stopped. No backup was made.')))
  await recordBackup({ path, target, nowMs: Date.now }).catch((error: unknown) =>
    console.error(`The backup is not in the audit trail: ${startFailure(error)}`),
  )
  const progress = showProgress(process.stderr)
  return await backUp(path, target, { signal: stop.signal, ...progress }).finally(progress.clear)
}
