import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'
import type { Alert } from '../../src/alerts/alert-board.ts'
import { eventually } from './eventually.ts'

const SECRET = Buffer.alloc(32, 'receiver').toString('base64')

interface Received {
  readonly id: string
  readonly alert: Alert
}

/**
 * A receiver of Standard Webhooks. `statuses` are its first responses; then 204. 0 is no response
 * at all.
 */
export async function alertReceiver(statuses: number[] = []) {
  /** Each attempt, taken or not. */
  const attempts: Received[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': given,
    } = request.headers
    const mac = createHmac('sha256', Buffer.from(SECRET, 'base64')).update(`${id}.${at}.${body}`)
    if (given !== `v1,${mac.digest('base64')}`) {
      response.writeHead(401).end()
      return
    }
    attempts.push({ id: String(id), alert: JSON.parse(body) })
    const status = statuses.shift() ?? 204
    if (status !== 0) response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  /** The alerts of a type, in order: `raised` and `cleared`, each with its subject. */
  const alertsOf = (type: Alert['type']) =>
    attempts
      .filter(({ alert }) => alert.type === type)
      .map(({ alert }) => `${alert.state} ${alert.subject}`)
  return {
    attempts,
    /** From now on it takes every alert. */
    accept: () => void statuses.splice(0),
    env: {
      ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}/hook`,
      ALERT_WEBHOOK_SECRET: `whsec_${SECRET}`,
    },
    alertsOf,
    /** Resolves once these are the alerts of a type. */
    expectAlerts: (type: Alert['type'], ...expected: string[]) =>
      eventually(() => expect(alertsOf(type)).toEqual(expected)),
  }
}
