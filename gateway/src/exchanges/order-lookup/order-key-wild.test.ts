import fc from 'fast-check'
import { expect, test } from 'vitest'
import { postTo, readOrderKey, withClientOrderId } from '../../../test/support/exchange-orders.ts'
import type { UpstreamCall } from '../exchange.ts'
import { queryText, withoutNames } from '../protocol/query-text.ts'

const FUTURES = '/api/v1/private/order'

const wildText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.json())
const wildBody = fc.oneof(
  wildText,
  fc
    .record(
      {
        ...{ symbol: fc.jsonValue(), clientOid: fc.oneof(fc.jsonValue(), fc.constant('')) },
        ...{ externalOid: fc.jsonValue(), newClientOid: fc.string() },
        orderId: fc.oneof(fc.jsonValue(), fc.bigInt({ min: 0n }).map(String)),
        ...{ category: fc.jsonValue(), tpslType: fc.constantFrom('normal', 'tpsl') },
        ...{ newSize: fc.string(), newPrice: fc.string() },
      },
      { requiredKeys: [] },
    )
    .map((fields) => JSON.stringify(fields)),
  fc.array(fc.jsonValue()).map((list) => JSON.stringify(list)),
)
const wildQuery = fc.array(
  fc.tuple(fc.oneof(fc.string(), fc.constantFrom('symbol', 'newClientOrderId')), wildText),
  { maxLength: 5 },
)
const wildCall: fc.Arbitrary<UpstreamCall> = fc
  .tuple(
    fc.constantFrom<[UpstreamCall['family'], UpstreamCall['method'], string]>(
      ['mexc-spot', 'POST', '/api/v3/order'],
      ['mexc-spot', 'DELETE', '/api/v3/order'],
      ['mexc-futures', 'POST', `${FUTURES}/create`],
      ['mexc-futures', 'POST', `${FUTURES}/cancel`],
      ['mexc-futures', 'POST', `${FUTURES}/cancel_with_external`],
      ['mexc-futures', 'POST', `${FUTURES}/change_limit_order`],
      ['bitget', 'POST', '/api/v2/spot/trade/place-order'],
      ['bitget', 'POST', '/api/v2/mix/order/place-order'],
      ['bitget', 'POST', '/api/v2/mix/order/modify-order'],
      ['bitget', 'POST', '/api/v3/trade/place-order'],
      ['bitget', 'POST', '/api/v3/trade/cancel-order'],
      ['bitget', 'POST', '/api/v2/spot/trade/cancel-replace-order'],
      ['bitget', 'POST', '/api/v3/trade/cancel-batch'],
    ),
    fc.option(wildBody, { nil: null }),
    wildQuery,
  )
  .map(([[family, method, path], body, query]) => ({
    ...{ family, method, path, query: queryText(query), body, signed: true },
  }))

test('any order that a bot writes has a key, which survives a round trip through the journal', () => {
  fc.assert(
    fc.property(wildCall, (call) => {
      const key = readOrderKey(call)
      for (const value of [key?.symbol, key?.clientOrderId, key?.orderId]) {
        expect(value === undefined || (typeof value === 'string' && value !== '')).toBe(true)
      }
      expect(JSON.parse(JSON.stringify(key ?? null))).toEqual(key ?? null)
    }),
    { numRuns: 300 },
  )
})

/** The key of the order that is placed. */
const idOf = (call: UpstreamCall) =>
  (readOrderKey(call)?.orders?.at(-1) ?? readOrderKey(call))?.clientOrderId

const entry = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ clientOid: fc.constantFrom('', null, 'own'), size: fc.string() }),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, 7, 'x', [[]]) },
)

test('each of several orders without an id gets one, and every other byte stays', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), fc.constantFrom(0, 1), (entries, indent) => {
      const list = JSON.stringify({ symbol: 'AB', orderList: entries }, null, indent)
      const call = postTo('bitget')('/api/v2/spot/trade/batch-orders', list)
      const named = withClientOrderId(call, 'sl-1')
      const orders = readOrderKey(named)?.orders
      const isReadable = entries.length > 0 && entries.every(isOrder)
      expect(orders?.length).toBe(isReadable ? entries.length : undefined)
      expect(named === call || isReadable).toBe(true)
      if (!isReadable) return
      const blank = (text: string) => text.replaceAll(/"sl-1-\d"|null|""/g, '""')
      expect(blank(named.body ?? '')).toBe(blank(list))
    }),
  )
})

function isOrder(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'size' in value
}

test('the gateway changes nothing in what a bot writes except to add a missing id', () => {
  fc.assert(
    fc.property(wildCall, (call) => {
      const named = withClientOrderId(call, 'sl-1')
      if (named === call) return
      expect({ ...named, body: null, query: '' }).toEqual({ ...call, body: null, query: '' })
      expect(idOf(named)).toBe('sl-1')
      expect(idOf(call)).toBeUndefined()
      if (call.family === 'mexc-spot') {
        expect(named.body).toBe(call.body)
        const others = (query: string) => withoutNames(query, (name) => name === 'newClientOrderId')
        expect(others(named.query)).toBe(others(call.query))
        return
      }
      const isReplaced = call.path.endsWith('/cancel-replace-order')
      const name =
        call.family === 'mexc-futures' ? 'externalOid' : isReplaced ? 'newClientOid' : 'clientOid'
      const field = `"${name}":"sl-1"`
      const bodies = ['', ',']
        .map((comma) => named.body?.replace(`${field}${comma}`, ''))
        .concat(['null', '""'].map((none) => named.body?.replace(field, `"${name}":${none}`)))
      expect(bodies).toContain(call.body)
    }),
    { numRuns: 300 },
  )
})
