import { resolve } from 'node:path'
import { readConfig } from 'gateway/config.ts'
import { recordBackup, recordGoodBackup } from 'gateway/operations/record-backup.ts'
import type { AuditHead } from 'gateway/store/audit-chain.ts'
import { databasePath } from 'gateway/store/database-path.ts'
import { type Backup, backUp, type CopyProgress } from 'gateway/store/sqlite/backup.ts'
import {
  type Call,
  command,
  counted,
  type Output,
  progressLine,
  RefusedError,
  runAsProcess,
  startFailure,
  UsageError,
} from './cli.ts'

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

const BAR_WIDTH = 30
const MB = 1024 ** 2

/** Shows how far a backup is. @param nowMs a monotonic clock */
export function showProgress(
  out: Pick<Output, 'isTTY' | 'write'>,
  nowMs = () => performance.now(),
) {
  const startMs = nowMs()
  const { update, draw, clear } = progressLine(out, nowMs)
  return {
    onProgress: (progress: CopyProgress) =>
      update((atMs) => progressText(progress, atMs - startMs)),
    /** The copy is complete, and is read back next. Nothing can be reported of that. */
    onCopied: () => draw('Reading the copy back; this takes a while …'),
    clear,
  }
}

/** `[=====     ] 50 %, 600 of 1200 MB, 20 s left`. */
export function progressText({ copiedBytes, totalBytes }: CopyProgress, elapsedMs: number): string {
  const part = totalBytes === 0 ? 1 : copiedBytes / totalBytes
  const bar = '='.repeat(Math.round(part * BAR_WIDTH)).padEnd(BAR_WIDTH)
  const mb = (bytes: number) => Math.round(bytes / MB)
  const text = `[${bar}] ${Math.floor(part * 100)} %, ${mb(copiedBytes)} of ${mb(totalBytes)} MB`
  if (part === 0) return text
  return `${text}, ${Math.ceil((elapsedMs * (1 / part - 1)) / 1000)} s left`
}

const NAMES = [
  ['clients', 'client'],
  ['api_keys', 'exchange key'],
  ['admins', 'administrator'],
  ['order_journal', 'order'],
  ['request_logs', 'log row'],
] as const

/** What a database holds, in one line: `3 clients, 5 exchange keys, …`. */
export function rowsText(rows: Readonly<Record<string, number>>): string {
  return NAMES.filter(([table]) => table in rows)
    .map(([table, noun]) => counted(rows[table] ?? 0, noun))
    .join(', ')
}

await runAsProcess(import.meta, run)
