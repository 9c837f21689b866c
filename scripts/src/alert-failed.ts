import { sendAlert } from './alert-test.ts'
import { command, runAsProcess, UsageError } from './cli.ts'

const USAGE = `Usage:
  node scripts/src/alert-failed.ts UNIT

What systemd runs when a unit that makes or checks backups failed: sends the alert backup.failed to ALERT_WEBHOOK_URL.`

/** The receiver may be unreachable for the same reason as the store of the backups. */
const PAUSES_MS = [5_000, 60_000, 300_000]

export const run = command({
  usage: USAGE,
  allowPositionals: true,
  async run(_values, [unit, ...more], call) {
    if (unit === undefined || more.length > 0) throw new UsageError()
    const message = `${unit} failed; "journalctl -u ${unit}" says why`
    return sendAlert(call, 'backup.failed', unit, message, PAUSES_MS)
  },
})

await runAsProcess(import.meta, run)
