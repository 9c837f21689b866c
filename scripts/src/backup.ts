import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import { readConfig } from 'gateway/config.ts'
import { recordBackup } from 'gateway/operations/record-backup.ts'
import type { AuditHead } from 'gateway/store/audit-chain.ts'
import { backUp } from 'gateway/store/backup.ts'
import { databasePath } from 'gateway/store/database-path.ts'
import { showProgress } from './backup-progress.ts'
import { RefusedError, runCommand, startFailure, UsageError } from './cli.ts'
import { rowsText } from './rows-text.ts'

const USAGE = `Usage:
  npm run backup -- FILE

Copies the database that DATABASE_URL names to FILE and reads the copy back; the gateway may be running. FILE must not
exist. The copy does not contain the master key: keep that apart. The backup is entered into the audit trail first.`

/** The gateway goes first when both want the processor. */
const LOWEST_PRIORITY = 19
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

await runCommand({
  usage: USAGE,
  allowPositionals: true,
  async run(_values, [file, ...more]) {
    if (file === undefined || more.length > 0) throw new UsageError()
    const path = databasePath(readConfig(process.env).databaseUrl)
    setPriority(LOWEST_PRIORITY)
    const stop = new AbortController()
    for (const signal of STOP_SIGNALS)
      process.once(signal, () => stop.abort(new RefusedError('Stopped. No backup was made.')))
    const nowMs = Date.now
    await recordBackup({ path, target: resolve(file), nowMs }).catch((error: unknown) =>
      console.error(`The backup is not in the audit trail: ${startFailure(error)}`),
    )
    const progress = showProgress(process.stderr)
    const backup = backUp(path, resolve(file), { signal: stop.signal, ...progress })
    const { bytes, rows, keyIds, auditHead } = await backup.finally(progress.clear)
    console.log(`Backed up ${path} to ${resolve(file)}: ${Math.ceil(bytes / 1024)} kB, read back and intact.
  ${rowsText(rows)}
  Only the master key ${keyIds.join(' and ')} opens it. Keep that key in another place.${headText(auditHead)}`)
    return 0
  },
})

/** A copy of the last entry shows when the end of the trail was cut off. */
function headText(head: AuditHead | undefined): string {
  return head === undefined
    ? ''
    : `\n  The last entry of its audit trail is ${head.id}:${head.hash}`
}
