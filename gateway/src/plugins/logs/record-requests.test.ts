import Fastify from 'fastify'
import { bgSpotTickers, mxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { StoreUnwritableError } from '../../store/errors.ts'
import { type RecordDeps, recordRequests } from './record-requests.ts'

const quota = () => ({ remaining: 1, resetMs: 0 })

/** A server with one recorded route, over a log that says what it is told to. */
function recorded(endpoint: typeof mxSubmitOrder | typeof bgSpotTickers, log: RecordDeps['log']) {
  const app = Fastify()
  app.decorateRequest('trip', null).decorateRequest('caller', null)
  app.decorateRequest('errorCode', null)
  let handled = 0
  const { start, requireLog, record } = recordRequests(endpoint, {
    log,
    lanes: { mx: { quota }, bg: { quota } },
    ratePerSecond: 2,
    strangers: { admits: () => true },
    nowMs: () => 0,
  })
  app.route({
    method: 'GET',
    url: '/x',
    config: { access: endpoint.access, endpoint },
    onRequest: start,
    preHandler: requireLog,
    onSend: record,
    handler: async () => {
      handled += 1
      return { orderId: '42' }
    },
  })
  return { app, handled: () => handled }
}

const full = new StoreUnwritableError()
const unwritable: RecordDeps['log'] = {
  append: () => Promise.reject(full),
  writable: () => ({ ok: false, error: full }),
  probe: async () => ({ ok: false, error: full }),
}

test('an order is refused as not sent while the log cannot be written', async () => {
  const { app, handled } = recorded(mxSubmitOrder, unwritable)
  const response = await app.inject({ url: '/x' })
  expect(response.statusCode).toBe(503)
  expect(response.json().code).toBe('STORE_UNWRITABLE')
  expect(handled()).toBe(0)
})

test('orders go again as soon as the store can be written, without a restart', async () => {
  const { app } = recorded(mxSubmitOrder, {
    append: async () => 1,
    writable: () => ({ ok: false, error: full }),
    probe: async () => ({ ok: true }),
  })
  expect((await app.inject({ url: '/x' })).statusCode).toBe(200)
})

test('reads go on while the log cannot be written', async () => {
  const { app } = recorded(bgSpotTickers, unwritable)
  expect((await app.inject({ url: '/x' })).statusCode).toBe(200)
})

test('an order that stands is told although its row could not be kept', async () => {
  const { app } = recorded(mxSubmitOrder, { ...unwritable, writable: () => ({ ok: true }) })
  expect((await app.inject({ url: '/x' })).json()).toEqual({ orderId: '42' })
})
