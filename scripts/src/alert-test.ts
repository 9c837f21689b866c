import { command, runAsProcess } from './cli.ts'
import { sendAlert } from './send-alert.ts'

const USAGE = `Usage:
  npm run alert-test

Sends one test alert to ALERT_WEBHOOK_URL and reports whether the receiver accepted it.`

export const run = command({
  usage: USAGE,
  async run(_values, _positionals, call) {
    return sendAlert(call, 'test', 'test', 'This is a test; no action is needed')
  },
})

await runAsProcess(import.meta, run)
