import { expect, test, vi } from 'vitest'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { Slot } from '../lane/job.ts'
import { signAndSend } from './sign-and-send.ts'

const CALL: UpstreamCall = {
  ...{ family: 'mexc-spot', method: 'POST', path: '/api/v3/order' },
  ...{ query: 'symbol=BTCUSDT', body: '', signed: true },
} as UpstreamCall

/** Sends a call whose slot opens some time after it was called. */
async function send(exchangeTimeMs: number | undefined, opensAfterMs: number) {
  let nowMs = 1_700_000_000_000
  const sent = vi.fn(async () => ({
    ...{ status: 200, headers: {}, body: Buffer.from('{}'), upstreamMs: 1 },
  }))
  const slot: Slot = {
    opened: async () => {
      nowMs += opensAfterMs
    },
    ...{ heldBack: () => undefined, onSent() {}, onResponse() {}, onExchangeTime() {} },
    queueWaitMs: 0,
  }
  const signed: number[] = []
  await signAndSend(
    {
      ...{ exchange: 'mx', transport: { send: sent }, clock: { nowMs: () => nowMs } },
      ...{ keys: { setAccountKind: async () => {} }, time: { monotonic: () => nowMs } },
      events: { emit: () => {} },
    },
    {
      ...{ call: CALL, context: undefined, slot, raw: true },
      keys: { rowId: null, keys: { apiKey: 'key', apiSecret: 'secret' } },
      ...(exchangeTimeMs === undefined ? {} : { exchangeTimeMs }),
      onSigned: (time) => signed.push(time),
    },
  )
  return { signed, url: sent.mock.calls }
}

test('a call is signed with the time at which its slot is there, or with the given one', async () => {
  const fresh = await send(undefined, 8)
  expect(fresh.signed).toEqual([1_700_000_000_008])
  const given = await send(1_700_000_000_000, 8)
  expect(given.signed).toEqual([1_700_000_000_000])
  expect(JSON.stringify(given.url)).toContain('timestamp=1700000000000')
})

test('a call whose time is too old when its slot is there is not sent', async () => {
  expect((await send(1_700_000_000_000, 1_000)).signed).toHaveLength(1)
  await expect(send(1_700_000_000_000, 1_001)).rejects.toMatchObject({
    code: 'JOURNAL_TOO_SLOW',
    sent: false,
  })
})
