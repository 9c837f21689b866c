import { expect, test, vi } from 'vitest'
import { nameBotOrders, readBotCall, readBotCallHead } from '../exchanges/bot-call.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import { FillLearner, type FillLearnerDeps } from './learn-fills.ts'
import { mx, placed, record } from './test-own-positions.ts'

// When a learning of fills waits, and when it ends.

function botOrder(target: string, body: object): OrderKey {
  const head = readBotCallHead('bg', { method: 'POST', target, headers: {} })
  const call = readBotCall(head, JSON.stringify(body), 'application/json')
  const { order } = nameBotOrders(call, 'abc')
  if (order === undefined) throw new Error('The call names no order')
  return order
}

function learner() {
  const kept = record()
  const waiting: { jobClass: string; signal?: AbortSignal | undefined; answer: () => void }[] = []
  const send = vi.fn(
    async (context: { signal?: AbortSignal }, _: UpstreamCall, options: object) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const { jobClass } = options as { jobClass: string }
      waiting.push({ jobClass, signal: context.signal, answer: resolve })
      if (answered.has(jobClass)) resolve()
      await promise
      const verdict: Verdict = { kind: 'unknown', why: 'nothing' } as never
      return { verdict }
    },
  )
  /** From now on, these get a response at once. */
  const answered = new Set<string>()
  const timers: { run: () => void; ms: number }[] = []
  const deps = {
    ownPositions: kept.positions,
    clients: { find: async () => ({ clientId: 'grid' }) },
    upstreams: { mx: { send, accountRefOf: async () => 5, accountKindOf: async () => null } },
    clocks: { mx: { nowMs: () => 1_000_000 } },
    events: { emit: vi.fn() },
    time: {
      now: () => 1_000_000,
      setTimeout(run: () => void, ms: number) {
        timers.push({ run, ms })
        return { cancel: vi.fn(), unref: () => undefined }
      },
    },
  } as unknown as FillLearnerDeps
  kept.end(placed(mx('1', '3', { clientOrderId: 'c' }), '1001'))
  const answersOf = (jobClass: string) => {
    answered.add(jobClass)
    for (const each of waiting) if (each.jobClass === jobClass) each.answer()
  }
  return { fills: new FillLearner(deps), waiting, timers, answersOf }
}

test('an order that waits for a look-up does not wait for the background', async () => {
  const { fills, waiting, answersOf } = learner()
  const background = fills.learn(1, 'mx', 'market')
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  const lookup = fills.learn(1, 'mx', 'lookup')
  await vi.waitFor(() => expect(waiting.map((each) => each.jobClass)).toEqual(['market', 'lookup']))
  let hasWaited = true
  void background.then(() => {
    hasWaited = false
  })
  answersOf('lookup')
  await lookup
  expect(hasWaited).toBe(true)
  answersOf('market')
  await background
})

test('a learning ends when its order may wait no longer, or its caller has gone', async () => {
  const { fills, waiting, timers } = learner()
  const late = fills.learn(1, 'mx', 'lookup', undefined, { maxWaitMs: 700 })
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  expect(timers.map(({ ms }) => ms)).toEqual([700])
  timers[0]?.run()
  await late
  expect(waiting[0]?.signal?.aborted).toBe(true)
  const caller = new AbortController()
  const gone = fills.learn(1, 'mx', 'lookup', undefined, { signal: caller.signal })
  // It also waits for the turn of the first one.
  caller.abort()
  await gone
})

test('a stand-alone take profit of spot that no list shows keeps what it asks for', async () => {
  const kept = record()
  const sale = { symbol: 'BTCUSDT', side: 'sell', orderType: 'market', size: '1' }
  const stop = { ...sale, triggerPrice: '60000', tpslType: 'tpsl' }
  const place = '/api/v2/spot/trade/place-order'
  const buy = { ...sale, side: 'buy', orderType: 'limit', price: '1', size: '3' }
  kept.end(placed(botOrder(place, buy), '1', '3'), placed(botOrder(place, stop), '77'))
  const many = ['78', '79', '80']
  const nothing: Verdict = { kind: 'ok', data: [] } as never
  const send = async () => ({ verdict: nothing })
  const deps = {
    ...{ ownPositions: kept.positions, clients: { find: async () => ({ clientId: 'grid' }) } },
    upstreams: { bg: { send, accountRefOf: async () => 5, accountKindOf: async () => 'classic' } },
    ...{ clocks: { bg: { nowMs: () => 1_120_000 } }, events: { emit: vi.fn() } },
    time: { now: () => 1_120_000 },
  } as unknown as FillLearnerDeps
  const open = () => kept.positions.openOf(1, 'bg', 5, 'spot BTCUSDT', 'long').open
  kept.wait(120_000)
  await new FillLearner(deps).learn(1, 'bg', 'lookup')
  expect(open()).toBe('2')
  for (const id of many) kept.end(placed(botOrder(place, { ...stop, size: '0.5' }), id))
  kept.wait(120_000)
  await new FillLearner(deps).learn(1, 'bg', 'lookup')
  expect(open()).toBe('0.5')
  // One of the usual kind that no list shows was never placed.
  kept.end(placed(botOrder(place, { ...sale, size: '0.5' }), '81'))
  expect(open()).toBe('0')
  const later = { ...deps, time: { now: () => 1_400_000 } } as unknown as FillLearnerDeps
  await new FillLearner(later).learn(1, 'bg', 'lookup')
  expect(open()).toBe('0.5')
})
