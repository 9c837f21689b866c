import { streamEvents } from 'schema'
import { expect, test } from 'vitest'
import { rowOf, StreamLines } from './stream-lines.ts'

const json = JSON.stringify(streamEvents.sample.response)
const text = `retry: 1000\n\nid: 5f0c-1.1\ndata: ${json}\n\n:\n\nid: 5f0c-1.2\r\ndata: {"type":"snapshotEnd"}\r\n\r\n: 4401 The token has expired\n\nid: 5f0c-1.3\ndata: {"ty`

test('events are whole wherever the stream is cut, and its end has a code and a reason', () => {
  const whole = new StreamLines().read(text)
  expect(whole).toEqual([
    { kind: 'event', id: '5f0c-1.1', json },
    { kind: 'event', id: '5f0c-1.2', json: '{"type":"snapshotEnd"}' },
    { kind: 'end', code: 4401, reason: 'The token has expired' },
  ])
  const lines = new StreamLines()
  expect([...text].flatMap((character) => lines.read(character))).toEqual(whole)
})

test.each([
  [{}, 'BTCUSDT buy limit 0.004 / 0.01 @ 50000 partiallyFilled'],
  [
    { type: 'fill', data: { symbol: 'BTCUSDT', side: 'buy', quantity: '0.004', price: null } },
    'BTCUSDT buy 0.004',
  ],
  [
    {
      type: 'position',
      data: { symbol: 'BTC_USDT', side: 'long', quantity: null, contracts: '3' },
    },
    'BTC_USDT long 3',
  ],
  [{ type: 'balance', data: { asset: 'USDT', available: '10', locked: '2.5' } }, 'USDT 10 + 2.5'],
  [{ type: 'state', data: { state: 'gap', since: 1, reason: 'disconnected' } }, 'gap disconnected'],
  [{ type: 'later', data: 'text' }, ''],
])('an event is one line: %o', (change, summary) => {
  const event = { ...JSON.parse(json), ...change }
  expect(rowOf('a-1', JSON.stringify(event), 7)).toMatchObject({
    ...{ key: 7, id: 'a-1', type: event.type, summary, atMs: event.receivedAt },
  })
  expect(rowOf('a-1', 'no JSON', 7)).toMatchObject({ type: '', summary: '', json: 'no JSON' })
})
