import { Webhook } from 'gateway/alerts/webhook.ts'
import { readConfig } from 'gateway/config.ts'
import { runCommand } from './cli.ts'

const USAGE = `Usage:
  npm run alert-test

Sends one test alert to ALERT_WEBHOOK_URL and reports whether the receiver accepted it.`

await runCommand({
  usage: USAGE,
  async run() {
    const { alertWebhook } = readConfig(process.env)
    if (alertWebhook === undefined) {
      console.error(
        'ALERT_WEBHOOK_URL is not set; docs/operations/alerts.md describes how alerts are sent.',
      )
      return 1
    }
    const { promise, resolve } = Promise.withResolvers<number>()
    new Webhook({
      ...alertWebhook,
      nowMs: Date.now,
      pausesMs: [],
      onDelivered: () => {
        console.log('The receiver accepted the alert.')
        resolve(0)
      },
      onLost: (_alert, why) => {
        console.error(`The alert was not delivered: ${why}.`)
        resolve(1)
      },
    }).send({
      type: 'test',
      at: new Date().toISOString(),
      subject: 'test',
      state: 'raised',
      message: 'This is a test; no action is needed',
      detail: {},
    })
    return promise
  },
})
