import { expect, test, vi } from 'vitest'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { OrderLife } from '../store/life-event.ts'
import { changeState, type OrderStateDeps, startProgress } from './order-state.ts'

const placed: OrderKey = {
  ...{ exchange: 'bg', family: 'bitget', market: 'futures', action: 'place' },
  clientOrderId: 'sl-1',
}
const request = {
  ...{ id: 'a', clientRef: 1, clientId: 'bot', exchange: 'bg' as const, method: 'POST' },
  ...{ endpoint: '/x', fingerprint: 'f', idempotencyKey: 'k', jobClass: 'order' as const },
}
const response = { statusCode: 200, contentType: 'application/json', body: '{}' }

test.each<[isLookedUpAgain: boolean, key: OrderKey | undefined]>([
  [true, placed],
  [true, { ...placed, action: 'cancel', orderId: '1' }],
  [false, undefined],
  [false, { ...placed, action: 'modify', orderId: '1' }],
  [false, { ...placed, action: 'modify', orderId: '1', isInPlace: true }],
  [false, { ...placed, orders: [placed, { ...placed, action: 'modify' }] }],
])('may a power cut lose the end: %s, %o', async (canBeFoundAgain, key) => {
  const write = vi.fn(async () => {})
  const deps = {
    ...{ journal: { markSent: vi.fn(async () => {}) }, settlements: { write } },
    workingOrders: { sending: vi.fn(), ended: vi.fn(), written: vi.fn() },
    ...{ events: { emit: vi.fn() }, nowMs: () => 0 },
  } as unknown as OrderStateDeps
  const life = new OrderLife(0, () => 0)
  const entry = { ...request, createdAtMs: 0 }
  const order = startProgress(request, Promise.resolve(undefined), life, entry)
  const sent = { key, named: key, keysId: null, sentAtMs: 1, fence: undefined, valueMicros: null }
  await changeState(deps, order, { to: 'sent', ...sent })
  const end = { state: 'answered', releasesKey: false } as const
  await changeState(deps, order, { to: 'settled', end, response })
  expect(write).toHaveBeenCalledWith('a', expect.objectContaining({ canBeFoundAgain }))
})

test('an order that nobody can look up is unknown in the journal once what it may have closed counts', async () => {
  const steps: string[] = []
  const neverKnown = vi.fn(async () => void steps.push('counted'))
  neverKnown.mockRejectedValueOnce(new Error('The disk is full'))
  const deps = {
    journal: {
      markSent: vi.fn(async () => {}),
      markUnknown: vi.fn(async () => void steps.push('unknown')),
    },
    workingOrders: { sending: vi.fn(), neverKnown },
    pendingOutcomes: { unknown: vi.fn() },
    events: { emit: (name: string) => steps.push(name) },
    nowMs: () => 0,
  } as unknown as OrderStateDeps
  const life = new OrderLife(0, () => 0)
  const order = startProgress(request, Promise.resolve(undefined), life, {
    ...request,
    createdAtMs: 0,
  })
  const closing = { ...placed, closes: { kind: 'now', isWhole: true } } as OrderKey
  const sent = { key: undefined, named: undefined, closing, keysId: 5, sentAtMs: 1 }
  await changeState(deps, order, { to: 'sent', ...sent, fence: undefined, valueMicros: null })
  for (let time = 0; time < 3; time += 1) await changeState(deps, order, { to: 'unknown' })
  expect(steps).toEqual([
    ...['orderNeverKnown', 'journalFailed'],
    ...['counted', 'orderNeverKnown', 'unknown'],
    'unknown',
  ])
})
