import { expect, test } from 'vitest'
import { bitgetPolicy } from './bitget.ts'
import { kindByBody } from './by-body.ts'

const CLOSE = 'POST /api/v3/trade/close-positions'
const STRATEGY = 'POST /api/v3/trade/place-strategy-order'

test.each([
  [CLOSE, '{"category":"USDT-FUTURES","symbol":"BTCUSDT"}', 'order'],
  ['POST /api/v2/mix/order/close-positions', '{"symbol":"BTCUSDT"}', 'order'],
  ['POST /api/v2/mix/order/close-positions', '{"productType":"USDT-FUTURES"}', 'settings'],
  [CLOSE, '{"category":"USDT-FUTURES"}', 'settings'],
  [CLOSE, '{"symbol":""}', 'settings'],
  [CLOSE, '{"symbol":" "}', 'settings'],
  [CLOSE, '{"symbol":null}', 'settings'],
  [CLOSE, '{"symbol":["BTCUSDT"]}', 'settings'],
  [CLOSE, '{"Symbol":"BTCUSDT"}', 'settings'],
  [CLOSE, '{"symbol":"","symbol":"BTCUSDT"}', 'settings'],
  [CLOSE, '{"symbol":"BTCUSDT","symbol":""}', 'settings'],
  [CLOSE, '{"order":{"symbol":"BTCUSDT"}}', 'settings'],
  [CLOSE, '[{"symbol":"BTCUSDT"}]', 'settings'],
  [CLOSE, 'symbol=BTCUSDT', 'settings'],
  [CLOSE, '', 'settings'],
  [STRATEGY, '{"symbol":"BTCUSDT"}', 'order'],
  [STRATEGY, '{"type":"tpsl"}', 'order'],
  [STRATEGY, '{"type":"trigger"}', 'order'],
  [STRATEGY, '{"type":null}', 'order'],
  [STRATEGY, '{"type":"twap"}', 'strategies'],
  [STRATEGY, '{"type":"tpsl","type":"twap"}', 'strategies'],
  [STRATEGY, '{"\\u0074ype":"twap"}', 'strategies'],
  [STRATEGY, '{"type":{}}', 'strategies'],
  // Parsers exist that take other spellings of a name for the same field.
  [CLOSE, '{"symbol":"BTCUSDT","Symbol":""}', 'settings'],
  [CLOSE, '{"symbol":"BTCUSDT","sym_bol":null}', 'settings'],
  [STRATEGY, '{"Type":"twap"}', 'strategies'],
  [STRATEGY, '{"type":"tpsl","_type":"twap"}', 'strategies'],
  [STRATEGY, '{" type ":"twap"}', 'strategies'],
  [STRATEGY, '[{"type":"twap"}]', 'strategies'],
  [STRATEGY, 'type=twap', 'strategies'],
  [STRATEGY, '{"type":"tpsl"} {"type":"twap"}', 'strategies'],
  [STRATEGY, '', 'order'],
  ['POST /api/v3/trade/place-order', '{}', 'order'],
] as const)('the body of %s, %s, makes it a call of the kind %s', (call, body, kind) => {
  expect(kindByBody(bitgetPolicy, 'order', call, body)).toBe(kind)
})

test('every call whose body counts is an order by its name', () => {
  const { byBody, kinds } = bitgetPolicy
  const calls = byBody.flatMap((rule) => rule.calls)
  expect(calls).toHaveLength(3)
  for (const call of calls) expect(kinds.get(call)).toBe('order')
})
