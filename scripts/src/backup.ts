import { resolve } from 'node:path'
import { readConfig } from 'gateway/config.ts'
import { recordGoodBackup } from 'gateway/operations/record-backup.ts'
import type { AuditHead } from 'gateway/store/audit-chain.ts'
import { databasePath } from 'gateway/store/database-path.ts'
import { command, runAsProcess, startFailure, UsageError } from './cli.ts'
import { makeBackup } from './make-backup.ts'
import { rowsText } from './rows-text.ts'

const USAGE = `Usage:
  npm run backup -- FILE

Copies the database that DATABASE_URL names to FILE and reads the copy back; the gateway may be running. FILE must not
exist. The copy does not contain the master key: keep that apart. The backup is entered into the audit trail first.`

export const run = command({
  usage: USAGE,
  allowPositionals: true,
  async run(_values, [file, ...more], call) {
    const { env, console } = call
    if (file === undefined || more.length > 0) throw new UsageError()
    const path = databasePath(readConfig(env).databaseUrl)
    const atMs = Date.now()
    const backup = await makeBackup(path, resolve(file), call)
    await recordGoodBackup(path, atMs).catch((error: unknown) =>
      console.error(`The gateway does not know of the backup: ${startFailure(error)}`),
    )
    const { bytes, rows, keyIds, auditHead } = backup
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

await runAsProcess(import.meta, run)
