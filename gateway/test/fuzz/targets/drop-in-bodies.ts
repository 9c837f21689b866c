import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  nameBotOrders,
  payloadOf,
  readBotCall,
  readBotCallHead,
  withBodyKind,
} from '../../../src/exchanges/bot-call.ts'
import { effectsOf } from '../../../src/exchanges/call-effects.ts'
import type { ExchangeCode } from '../../../src/exchanges/exchange.ts'
import { ordersOf } from '../../../src/exchanges/order-lookup/order-key.ts'
import { checkValues } from '../../../src/exchanges/protocol/lossless.ts'
import { isRecord } from '../../../src/exchanges/protocol/untrusted.ts'
import { unlessRefused } from '../declared.ts'
import { editedText, hostileText, jsonValueText, mutatedJson } from '../hostile.ts'
import { orderResponses } from '../recorded-responses.ts'
import type { Target } from '../target.ts'

const OWN_ID = 'sl-own-id-1'

interface Written {
  readonly exchange: ExchangeCode
  readonly method: string
  readonly target: string
  readonly body: unknown
}

const written: readonly Written[] = [
  ...orderResponses.map(({ call }) => ({
    exchange: call.family === 'bitget' ? ('bg' as const) : ('mx' as const),
    method: call.method,
    target: call.query === '' ? call.path : `${call.path}?${call.query}`,
    body: call.body === null ? null : JSON.parse(call.body),
  })),
  {
    ...{ exchange: 'bg', method: 'POST', target: '/api/v2/mix/order/close-positions' },
    body: { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' },
  },
  {
    ...{ exchange: 'bg', method: 'POST', target: '/api/v3/trade/place-strategy-order' },
    body: { category: 'USDT-FUTURES', symbol: 'BTCUSDT', type: 'tpsl', clientOid: '' },
  },
  {
    ...{ exchange: 'bg', method: 'POST', target: '/api/v2/spot/trade/cancel-replace-order' },
    body: { symbol: 'BTCUSDT', price: '1', size: '1', orderId: '1', newClientOid: '' },
  },
  {
    ...{ exchange: 'mx', method: 'POST', target: '/api/v3/batchOrders' },
    body: null,
  },
]

const input = fc.nat(written.length - 1).chain((at) => {
  const { body } = written[at] ?? { body: null }
  return fc.record({
    at: fc.constant(at),
    text: fc.oneof(
      { weight: 6, arbitrary: mutatedJson(body) },
      { weight: 2, arbitrary: editedText(fc.constant(JSON.stringify(body))) },
      { weight: 1, arbitrary: jsonValueText },
      { weight: 1, arbitrary: hostileText },
    ),
    query: fc.oneof(
      fc.constant(''),
      fc.constantFrom('signature=x', 'timestamp=1&timestamp=2', 'a=%zz', '%73ignature=x', '&&='),
      hostileText,
    ),
    type: fc.constantFrom('application/json', 'application/x-www-form-urlencoded', '', 'text/x'),
  })
})

/** A body is forwarded as it was written, but for a missing id, and means the same afterwards. */
export const dropInBodies: Target = {
  name: 'drop-in-bodies',
  about: 'JSON and form bodies on the doors for bots',
  weight: 200,
  open: async () => ({
    property: fc.property(input, ({ at, text: given, query, type }) => {
      const { exchange, method, target } = written[at] ?? { exchange: 'mx', method: '', target: '' }
      const text = given.toWellFormed()
      const url = query === '' ? target : `${target}${target.includes('?') ? '&' : '?'}${query}`
      unlessRefused(() => {
        const head = readBotCallHead(exchange, { method, target: url, headers: {} })
        checkValues(text)
        const bot = readBotCall(withBodyKind(head, text), text, type)
        payloadOf(bot)
        const { call, order } = nameBotOrders(bot, OWN_ID)
        effectsOf(call)
        if (call.family === 'mexc-spot')
          assert.ok(!hasSignature(call.query), `the query has the bot's signature: ${call.query}`)
        const sent = call.body ?? ''
        const isForm = type.startsWith('application/x-www')
        if (exchange === 'bg' || (!isForm && bot.json === undefined))
          assert.equal(
            sent.replaceAll(ID_FIELD, ''),
            text.replaceAll(ID_FIELD, ''),
            'bytes changed',
          )
        if (order === undefined || isForm) return
        for (const each of ordersOf(order)) {
          assert.equal(JSON.stringify(each), JSON.stringify(JSON.parse(JSON.stringify(each))))
          if (each.clientOrderId === undefined || call.family === 'mexc-spot') continue
          const { clientOrderId } = each
          assert.ok(
            sent.includes(clientOrderId) || textsIn(JSON.parse(sent)).has(clientOrderId),
            `the id ${clientOrderId} is not in what is sent: ${sent}`,
          )
        }
      })
    }),
  }),
}

/** The field of a missing id, as the gateway writes it, and one that is empty. */
const ID_FIELD =
  /"(?:\w*(?:[cC]lientOid|externalOid|Oid)\w*)"\s*:\s*(?:"sl-own-id-1(?:-\d+)?"|""|null),?/g

function hasSignature(query: string): boolean {
  return [...new URLSearchParams(query).keys()].some(
    (name) => name.toLowerCase() === 'signature' && query.includes('ignature=x'),
  )
}

/** Every text and number in it, as text. */
function textsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string' || typeof value === 'number') found.add(`${value}`)
  else if (Array.isArray(value)) for (const each of value) textsIn(each, found)
  else if (isRecord(value)) for (const each of Object.values(value)) textsIn(each, found)
  return found
}
