import { recordBackup } from 'gateway/operations/record-backup.ts'
import { type Backup, backUp } from 'gateway/store/sqlite/backup.ts'
import { showProgress } from './backup-progress.ts'
import { type Call, RefusedError, startFailure } from './cli.ts'

/**
 * Makes a backup, and shows how far it is. A signal stops it. The gateway goes first when both want
 * the processor.
 * @param path of the database
 * @param target a file that does not exist yet
 */
export async function makeBackup(
  path: string,
  target: string,
  { io, console }: Pick<Call, 'io' | 'console'>,
): Promise<Backup> {
  io.giveWay()
  const signal = io.stopSignal(new RefusedError('Stopped. No backup was made.'))
  await recordBackup({ path, target, nowMs: Date.now }).catch((error: unknown) =>
    console.error(`The backup is not in the audit trail: ${startFailure(error)}`),
  )
  const progress = showProgress(io.err)
  return await backUp(path, target, { signal, ...progress }).finally(progress.clear)
}
