import Fastify from 'fastify'
import { mxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { StoreUnwritableError } from '../../store/errors.ts'
import { systemTime } from '../../time.ts'
import { recordRequests } from './record-requests.ts'

const quota = () => ({ remaining: 1, resetMs: 0 })

test('a placed order gets its response although its row could not be written', async () => {
  const app = Fastify()
  app.decorateRequest('timings', null).decorateRequest('caller', null)
  app.decorateRequest('errorCode', null).decorateRequest('errorMessage', null)
  const { start, record } = recordRequests(mxSubmitOrder, {
    log: { append: () => Promise.reject(new StoreUnwritableError()) },
    ...{ lanes: { mx: { quota }, bg: { quota } }, ratePerSecond: 2 },
    ...{ rowLimit: { admits: () => true, drop: () => {} }, refusalRowsPerMinute: 0 },
    ...{ isOnReserve: () => false, time: systemTime },
  })
  const { access } = mxSubmitOrder
  app.route({
    ...{ method: 'GET', url: '/x', config: { access, endpoint: mxSubmitOrder }, onRequest: start },
    ...{ onSend: record, handler: async () => ({ orderId: '42' }) },
  })
  expect((await app.inject({ url: '/x' })).json()).toEqual({ orderId: '42' })
})
