import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callOf, expectUnbounded, rowsOf } from '../../test/support/exchange-orders.ts'
import { effectsOf } from './call-effects.ts'
import type { UpstreamCall } from './exchange.ts'
import { adapters } from './registry.ts'

// What somebody would send who has a stolen token: calls that the gateway reads as small orders,
// and the exchange as large ones.

const SPOT = 'POST /api/v3/order'
const CREATE = 'POST /api/v1/private/order/create'
const MIX = 'POST /api/v2/mix/order/place-order'
const BITGET = 'POST /api/v2/spot/trade/place-order'
const UNIFIED = 'POST /api/v3/trade/place-order'

const query = 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=2&price=9'
const bodies: Readonly<Record<string, string>> = {
  [CREATE]: '{"symbol":"BTC_USDT","side":1,"type":1,"vol":2,"price":9,"openType":2}',
  [BITGET]:
    '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"gtc","size":"2","price":"9"}',
  [MIX]:
    '{"symbol":"BTCUSDT","productType":"USDT-FUTURES","side":"buy","orderType":"limit","size":"2","price":"9"}',
  [UNIFIED]:
    '{"category":"SPOT","symbol":"BTCUSDT","side":"buy","orderType":"limit","qty":"2","price":"9"}',
}
const lines = Object.keys(bodies)
const sizeNames: Readonly<Record<string, string>> = { [CREATE]: 'vol', [UNIFIED]: 'qty' }
const sizeOf = (line: string) => sizeNames[line] ?? 'size'

const spot = (change: Partial<UpstreamCall>) => ({ ...callOf(SPOT, {}), query, ...change })
const json = (line: string, body: string, change: Partial<UpstreamCall> = {}) => ({
  ...callOf(line, {}),
  body,
  ...change,
})

test('the calls that the following tests change are ordinary orders', () => {
  const order = expect.objectContaining({ kind: 'order', size: '2', price: '9' })
  expect(effectsOf(spot({}))).toEqual([order])
  for (const line of lines) expect(effectsOf(json(line, bodies[line] ?? ''))).toEqual([order])
})

describe('a field that another reader could find elsewhere', () => {
  test.each<[what: string, change: Partial<UpstreamCall>]>([
    ['twice in the query', { query: `${query}&quantity=2000` }],
    ['twice with one value', { query: `${query}&quantity=2` }],
    ['twice, once percent-encoded', { query: `${query}&%71uantity=2000` }],
    ['in the query and in a form', { body: 'quantity=2000', isForm: true }],
    ['in the query and in JSON', { body: '{"quantity":"2000"}' }],
    ['with a capital letter', { query: `${query}&Quantity=2000` }],
    ['with an underscore', { query: `${query}&quote_order_qty=2000` }],
    ['with brackets', { query: `${query}&quantity[]=2000` }],
    ['with a space behind its name', { query: `${query}&quantity+=2000` }],
    ['behind a semicolon', { query: `${query}&stpMode=a;quantity=2000` }],
    ['in a form that is within JSON', { query: '', body: `{"stpMode":"&${query}"}` }],
    ['in JSON that is sent as a form', { query: '', body: `{"a=":"1"}`, isForm: true }],
    ['that nobody knows', { query: `${query}&icebergQty=2000` }],
    ['in a body that is no JSON', { body: '{quantity:2000}' }],
    ['in a list', { query: '', body: `[{"quantity":"2000"}]` }],
  ])('MEXC spot: %s', (_what, change) => {
    expectUnbounded(spot(change))
  })

  test.each(lines)('%s', (line) => {
    const body = bodies[line] ?? ''
    const size = sizeOf(line)
    const withMore = (member: string) => body.replace(/\}$/, `,${member}}`)
    for (const call of [
      json(line, withMore(`"${size}":"2000"`)),
      json(line, body.replace('{', `{"${size}":"2000",`)),
      json(line, withMore(`"\\u00${size.charCodeAt(0).toString(16)}${size.slice(1)}":"2000"`)),
      json(line, withMore(`"${size.toUpperCase()}":"2000"`)),
      json(line, withMore(`"${size} ":"2000"`)),
      json(line, withMore(`"leverageX":125`)),
      json(line, withMore(`"__proto__":{"${size}":"2000"}`)),
      json(line, withMore(`"clientOid":{"${size}":"2000"}`)),
      json(line, withMore(`"stpMode":"a&${size}=2000"`)),
      json(line, body, { query: `${size}=2000` }),
      json(line, body, { query: 'x' }),
      json(line, body, { isForm: true }),
      json(line, `[${body}]`),
      json(line, `${body} ${body}`),
      json(line, `\ufeff\ufeff${body}`),
      json(line, ''),
      { ...callOf(line, {}), body: null, query: '' },
    ])
      expectUnbounded(call)
  })
})

describe('an amount that another reader could take for more', () => {
  const sizes = [
    ...['"-2"', '-2', '"2e9"', '2e9', '2E9', '"02"', '"+2"', '" 2"', '"2 "', '"2,000"', '"2_000"'],
    ...['"0x2"', '".2"', '"2."', '"２"', '"Infinity"', '"NaN"', '[2]', '["2"]', '{"a":2}', 'true'],
    ...['""', 'null', '0', '"0.000"', `"${'9'.repeat(31)}"`, `"0.${'1'.repeat(31)}"`, '"2\\u0000"'],
  ]
  test.each(lines)('%s', (line) => {
    const body = bodies[line] ?? ''
    const pattern = new RegExp(`"${sizeOf(line)}":"?2"?`)
    for (const size of sizes)
      expectUnbounded(json(line, body.replace(pattern, `"${sizeOf(line)}":${size}`)))
    for (const price of ['"-9"', '9e9', '""', '"0"', '"9;"'])
      expectUnbounded(json(line, body.replace(/"price":"?9"?/, `"price":${price}`)))
  })

  test('a number of many digits keeps them all', () => {
    const large = (body: string) => body.replace('"vol":2', '"vol":90071992547409931')
    expect(effectsOf(json(CREATE, large(bodies[CREATE] ?? '')))).toMatchObject([
      { size: '90071992547409931' },
    ])
    const long = (bodies[MIX] ?? '').replace('"size":"2"', '"size":0.10000000000000000001')
    expect(effectsOf(json(MIX, long))).toMatchObject([{ size: '0.10000000000000000001' }])
  })
})

const written = (line: string, ...changes: readonly object[]) => ({
  [line]: changes.map((more) => [{ ...JSON.parse(bodies[line] ?? ''), ...more }] as const),
})
const mexc = { symbol: 'A', side: 'SELL', type: 'MARKET', quantity: '9' }
const contract = { symbol: 'A', side: 1, type: 5, vol: 1 }
const stop = { positionId: 1, vol: 1, stopLossPrice: 1 }
const plan = { symbol: 'A', side: 'buy', orderType: 'market', triggerPrice: '1', size: '9' }
const strategy = { category: 'USDT-FUTURES', symbol: 'A', posSide: 'long' }

test.each(
  rowsOf<readonly [fields: object]>({
    [SPOT]: [
      [{ symbol: 'A', side: 'BUY', type: 'MARKET', quantity: '1', quoteOrderQty: '9' }],
      [{ symbol: 'A', side: 'BUY', type: 'LIMIT', price: '1', quoteOrderQty: '9' }],
      [{ symbol: 'A', side: 'SELL', type: 'MARKET', quoteOrderQty: '9' }],
      [{ ...mexc, symbol: 'A,B' }],
      [{ ...mexc, symbol: '' }],
      [{ ...mexc, side: 'BOTH' }],
      [{ ...mexc, type: 'STOP' }],
    ],
    [CREATE]: [
      [{ ...contract, side: 5 }],
      [{ ...contract, leverage: '20x' }],
      [{ ...contract, leverage: [20] }],
      [{ ...contract, marketCeiling: true }],
      [{ ...contract, flashClose: 'true' }],
      [{ ...contract, type: 1, price: 1, bboTypeNum: 1 }],
    ],
    'POST /api/v1/private/stoporder/place': [
      [{ ...stop, stopLossReverse: 1 }],
      [{ ...stop, positionId: undefined }],
      [{ ...stop, stopLossType: 1, stopLossOrderPrice: 99 }],
    ],
    'POST /api/v1/private/order/change_limit_order': [
      [{ price: 1, vol: 1 }],
      [{ orderId: [1, 2], price: 1, vol: 1 }],
    ],
    ...written(
      MIX,
      { presetStopLossPrice: '8', presetStopLossExecutePrice: '99999' },
      { tradeSide: 'openclose' },
      { force: 'gtx' },
      { orderType: 'limit_maker' },
      { productType: '' },
    ),
    ...written(
      BITGET,
      { triggerPrice: '8' },
      { triggerPrice: '8', tpslType: 'normal' },
      { tpslType: 'tpsl' },
      { presetStopLossPrice: '8', executeStopLossPrice: '99999' },
      { side: 'sell', presetStopLossPrice: '8' },
    ),
    ...written(
      UNIFIED,
      { category: 'MARGIN' },
      { category: '' },
      { category: 'SPOT', takeProfit: '10' },
      { category: 'USDT-FUTURES', stopLoss: '8', slOrderType: 'limit', slLimitPrice: '99999' },
      { category: 'USDT-FUTURES', posSide: 'both' },
    ),
    'POST /api/v2/spot/trade/cancel-replace-order': [
      [{ symbol: 'A', orderId: '1', price: '1', size: '1', orderType: 'market' }],
    ],
    'POST /api/v2/spot/trade/place-plan-order': [
      [plan],
      [{ ...plan, orderType: 'limit', executePrice: '1', price: '99' }],
    ],
    'POST /api/v3/trade/place-strategy-order': [
      [{ ...strategy, type: 'trigger', qty: '1' }],
      [{ ...strategy, tpslMode: 'partial' }],
    ],
    'POST /api/v1/private/planorder/place': [
      [{ symbol: 'A', side: 1, vol: 1, price: 1, triggerPrice: 1, orderType: 1, type: 6 }],
    ],
    'POST /api/v2/mix/account/set-leverage': [[{ symbol: 'A', leverage: '1e2' }]],
    'POST /api/v1/private/position/change_leverage': [[{ symbol: 'A', leverage: '20.5' }]],
  }),
)('an order that says more than one thing: %s %j', (line, fields) => {
  expectUnbounded(callOf(line, fields))
})

describe('a list that another reader could read otherwise', () => {
  const order = '{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":"2","price":"9"}'
  const mix = '{"side":"buy","orderType":"limit","size":"2","price":"9"}'
  const batch = (text: string, change: Partial<UpstreamCall> = {}) => ({
    ...callOf('POST /api/v3/batchOrders', { batchOrders: text }),
    ...change,
  })
  const mixBatch = (lists: string) =>
    json('POST /api/v2/mix/order/batch-place-order', `{"symbol":"A","productType":"B",${lists}}`)

  test.each<[what: string, call: UpstreamCall]>([
    ['a field twice', batch(`[${order.replace('{', '{"quantity":"2000",')}]`)],
    ['an entry that is none', batch(`[${order},7]`)],
    ['no entry', batch('[]')],
    ['more entries than the exchange takes', batch(`[${Array(21).fill(order)}]`)],
    ['no list', batch(order)],
    ['a list in the list', batch(`[[${order}]]`)],
    ['a field that nobody knows', batch(`[${order.replace('{', '{"icebergQty":"1",')}]`)],
    ['two lists', batch(`[${order}]`, { body: `{"batchOrders":[${order}]}` })],
    ['a size beside the list', batch('', { query: `batchOrders=[${order}]&quantity=9` })],
    ['two symbols', batch('', { query: `batchOrders=[${order}]&symbol=ETHUSDT` })],
    ['a size beside the list of Bitget', mixBatch(`"size":"9","orderList":[${mix}]`)],
    [
      'another symbol beside the list of Bitget',
      mixBatch(`"orderList":[${mix.replace('{', '{"symbol":"C",')}]`),
    ],
    ['a list of Bitget twice', mixBatch(`"orderList":[${mix}],"orderList":[${mix}]`)],
    ['a list of Bitget as a text', mixBatch(`"orderList":"[${mix.replaceAll('"', "'")}]"`)],
    ['a list where one order is documented', json(MIX, `[${bodies[MIX]}]`)],
  ])('%s', (_what, call) => {
    expectUnbounded(call)
  })

  test('the list may be in a form or in JSON', () => {
    const effect = expect.objectContaining({ kind: 'order', size: '2' })
    const form = `batchOrders=${encodeURIComponent(`[${order}]`)}`
    const body = `{"batchOrders":[${order}]}`
    for (const change of [{ body: form, isForm: true }, { body }])
      expect(effectsOf({ ...batch(''), query: '', ...change })).toEqual([effect])
  })
})

const wildFields = fc.dictionary(
  fc.constantFrom(
    ...adapters.all.flatMap(({ calls }) =>
      [...calls.facts.values()].flatMap(({ effect }) =>
        typeof effect === 'object' ? [...effect.fields] : [],
      ),
    ),
  ),
  fc.oneof(fc.jsonValue(), fc.constantFrom('buy', 'limit', 'market', 'USDT-FUTURES', '1', 2)),
)
const wildBody = fc.oneof(
  wildFields.map((fields) => JSON.stringify(fields)),
  fc.array(wildFields).map((list) => JSON.stringify({ symbol: 'A', orderList: list })),
  fc.json(),
  fc.string(),
)
const tableLines = adapters.all.flatMap(({ calls }) =>
  [...calls.facts].flatMap(([line, { effect }]) => (effect === undefined ? [] : [line])),
)

test('whatever a call has, its effect is an amount without a sign or an exponent, or unbounded', () => {
  fc.assert(
    fc.property(fc.constantFrom(...tableLines), wildBody, fc.boolean(), (line, body, isForm) => {
      const effects = effectsOf(json(line, body, { isForm }))
      expect(effects.length).toBeGreaterThan(0)
      for (const effect of effects) {
        if (effect.kind !== 'order') continue
        for (const amount of [effect.size, effect.quoteSize, effect.price, effect.trigger])
          expect(amount ?? '1').toMatch(/^\d+(?:\.\d+)?$/)
      }
    }),
    { numRuns: 1_000 },
  )
})
