import { expect, test, vi } from 'vitest'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { createTimings } from '../upstream/request-context.ts'
import { WholeCloses, type WholeClosesDeps } from './whole-closes.ts'

const NOW = 1_800_000_000_000
const call: UpstreamCall = {
  ...{ family: 'bitget', method: 'POST', path: '/api/v2/mix/order/close-positions', query: '' },
  ...{ body: '{"symbol":"BTCUSDT","productType":"USDT-FUTURES"}', signed: true },
}

test('who sends whole closes again and again makes the gateway ask some times a minute', async () => {
  const hasOpen = vi.fn<WholeClosesDeps['own']['hasOpen']>(() => 'perhaps')
  const learn = vi.fn(async () => false)
  const closes = new WholeCloses({
    ...{
      keys: { othersWithKeyOf: async () => [2], accountRefOf: async () => 5 },
      own: { hasOpen, learn },
    },
    ...{ events: { emit: vi.fn() }, nowMs: () => NOW },
  })
  const waiting = { timings: createTimings() }
  const refusalOf = (clientRef: number) =>
    closes.refusalOf({ clientRef, exchange: 'bg' }, { call, order: undefined }, waiting)
  for (let nth = 0; nth < 100; nth += 1)
    expect(await refusalOf(1)).toMatchObject({ code: 'ACCOUNT_SHARED', retryable: true })
  expect(learn).toHaveBeenCalledTimes(30)
  await refusalOf(3)
  expect(learn).toHaveBeenCalledTimes(31)
  // What was read just now counts.
  const place = 'futures USDT-FUTURES BTCUSDT'
  expect(hasOpen.mock.calls[0]).toEqual([2, 'bg', 5, place, NOW - 2_000])
  expect(hasOpen.mock.calls[1]).toEqual([2, 'bg', 5, place, NOW])
})

test.each<[string, (boolean | 'perhaps')[], boolean | undefined]>([
  ['no other client has anything', [false, false], undefined],
  ['one of them may have', [false, 'perhaps'], true],
  ['one of them has', ['perhaps', true], false],
])('where %s open, a refusal says whether to try again', async (_, open, retryable) => {
  const closes = new WholeCloses({
    keys: { othersWithKeyOf: async () => [2, 3], accountRefOf: async () => 5 },
    own: { hasOpen: (clientRef) => open[clientRef - 2] ?? false, learn: async () => false },
    ...{ events: { emit: vi.fn() }, nowMs: () => NOW },
  })
  const waiting = { timings: createTimings() }
  const refusal = await closes.refusalOf(
    { clientRef: 1, exchange: 'bg' },
    { call, order: undefined },
    waiting,
  )
  expect(refusal?.retryable).toBe(retryable)
})
