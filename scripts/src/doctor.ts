import { examine } from 'gateway/operations/doctor/examine.ts'
import type { Finding } from 'gateway/operations/doctor/finding.ts'
import type { AuditHead } from 'gateway/store/audit-chain.ts'
import { examineDatabase } from 'gateway/store/sqlite/examine.ts'
import { command, counted, runAsProcess, UsageError } from './cli.ts'

const USAGE = `Usage:
  npm run doctor -- [--no-exchanges] [--backup FILE] [--audit-head ID:HASH]

Checks the configuration, files, database, master key, clock, exchanges, exchange keys and their WebSockets with the
environment that the gateway would have. Changes nothing. The exit code is 1 when something fails. With a backup, or with an entry of the audit
trail that was seen before, it also notices when the end of the trail was cut off. Both can be given several times.

The exchanges get no more requests than RATE_LIMIT_PER_SECOND allows. While a gateway runs, it makes the calls of the
doctor in its queue; the doctor puts its questions into the database. A check of 40 keys takes a minute, and longer while
the gateway is busy. With --no-exchanges it asks none: for a copy of a database whose gateway runs on this machine.`

export const run = command({
  usage: USAGE,
  options: {
    'no-exchanges': { type: 'boolean' },
    backup: { type: 'string', multiple: true },
    'audit-head': { type: 'string', multiple: true },
  },
  async run(
    { backup = [], 'audit-head': heads = [], 'no-exchanges': isOffline = false },
    _positionals,
    { env, console },
  ) {
    const known = [...backup.flatMap(headOfBackup), ...heads.map(toHead)]
    const counts = { ok: 0, warn: 0, fail: 0 }
    for await (const finding of examine(env, { nowMs: Date.now, isOffline }, known)) {
      counts[finding.level] += 1
      console.log(line(finding))
    }
    console.log(
      `\n${counts.ok} ok, ${counted(counts.warn, 'warning')}, ${counted(counts.fail, 'failure')}`,
    )
    return counts.fail > 0 ? 1 : 0
  },
})

/** The last entry of the audit trail in a backup, unless its version had none. */
function headOfBackup(file: string): AuditHead[] {
  const { auditHead } = examineDatabase(file)
  return auditHead === undefined ? [] : [auditHead]
}

/** @throws UsageError */
function toHead(text: string): AuditHead {
  const [, id, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (id === undefined || hash === undefined)
    throw new UsageError(`--audit-head is "${text}"; it must be like 42:9b1f… with 64 digits`)
  return { id: Number(id), hash }
}

function line({ level, subject, progress, found, advice }: Finding): string {
  const place = progress === undefined ? '' : ` (${progress})`
  const head = `${level.padEnd(5)} ${subject}${place}: ${found}`
  return advice === undefined ? head : `${head}\n      → ${advice}`
}

await runAsProcess(import.meta, run)
