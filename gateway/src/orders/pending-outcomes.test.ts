import { expect, test } from 'vitest'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { ClientRow } from '../store/client-store.ts'
import type { OrderRequest } from './order-request.ts'
import { PendingOutcomes } from './pending-outcomes.ts'

const request = (id: string): OrderRequest => ({
  ...{ id, clientRef: 1, clientId: 'bot', exchange: 'mx', method: 'POST', endpoint: '/', url: '/' },
  ...{ fingerprint: id, idempotencyKey: null, jobClass: 'order' },
})
const key = (plan: string | undefined): OrderKey => ({
  ...{ exchange: 'mx', family: 'mexc-futures', market: 'futures', action: 'place', plan },
  ...{ symbol: 'BTC_USDT', terms: { size: '10' } },
})

test('a stop whose key does not say its price is only repeated by the same request', async () => {
  const pending = new PendingOutcomes({
    clients: { find: async () => ({ limits: null }) as ClientRow },
    ...{ events: { on: () => () => {} }, nowMs: () => 1 },
  })
  const isRefused = async (id: string, plan: string | undefined) => {
    const order = { request: request(id), named: key(plan) }
    return (await pending.errorFor(order, {}, {})) !== undefined
  }
  for (const plan of ['stoporder', 'strategy']) {
    pending.unknown(request(plan), key(plan), false, 0)
    expect(await isRefused('other price', plan)).toBe(false)
    const same = { request: { ...request('again'), fingerprint: plan }, named: key(plan) }
    expect(await pending.errorFor(same, {}, {})).toMatchObject({ code: 'OUTCOME_PENDING' })
  }
  pending.unknown(request('plain'), key(undefined), true, 0)
  expect(await isRefused('other request', undefined)).toBe(true)
})
