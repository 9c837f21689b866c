import { runCommand } from './cli.ts'
import { sendAlert } from './send-alert.ts'

const USAGE = `Usage:
  npm run alert-test

Sends one test alert to ALERT_WEBHOOK_URL and reports whether the receiver accepted it.`

await runCommand({
  usage: USAGE,
  async run() {
    return sendAlert('test', 'test', 'This is a test; no action is needed')
  },
})
