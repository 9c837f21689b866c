import type { Alert } from 'gateway/alerts/alert-board.ts'
import { Webhook } from 'gateway/alerts/webhook.ts'
import { readConfig } from 'gateway/config.ts'
import { systemTime } from 'gateway/time.ts'
import { type Call, command, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run alert-test

Sends one test alert to ALERT_WEBHOOK_URL and reports whether the receiver accepted it.`

export const run = command({
  usage: USAGE,
  async run(_values, _positionals, call) {
    return sendAlert(call, 'test', 'test', 'This is a test; no action is needed')
  },
})

/**
 * Sends one alert to the receiver of the gateway's alerts.
 * @param pausesMs between further attempts when the receiver does not accept it
 * @returns the exit code: 0 when the receiver accepted it
 */
export function sendAlert(
  { env, console }: Pick<Call, 'env' | 'console'>,
  type: Alert['type'],
  subject: string,
  message: string,
  pausesMs: readonly number[] = [],
): Promise<number> {
  const { alertWebhook } = readConfig(env)
  if (alertWebhook === undefined) {
    console.error(
      'ALERT_WEBHOOK_URL is not set; docs/operations/alerts.md describes how alerts are sent.',
    )
    return Promise.resolve(1)
  }
  const { promise, resolve } = Promise.withResolvers<number>()
  new Webhook({
    ...alertWebhook,
    time: systemTime,
    pausesMs,
    onDelivered: () => {
      console.log('The receiver accepted the alert.')
      resolve(0)
    },
    onLost: (_alert, why) => {
      console.error(`The alert was not delivered: ${why}.`)
      resolve(1)
    },
  }).send({
    type,
    at: new Date().toISOString(),
    subject,
    state: 'raised',
    message,
    detail: {},
  })
  return promise
}

await runAsProcess(import.meta, run)
