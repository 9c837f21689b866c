import {
  amountIn,
  type EffectFields,
  type EffectForm,
  namesOf,
  type OrderEffect,
  requiredName,
  requiredPositive,
  requiredWord,
  unclear,
} from '../call-effect.ts'
import { type CallRow, readCallTable, rowsBelow } from '../call-table.ts'
import { mexcClosed } from '../closed-calls.ts'
import type { OrderCallForm } from '../order-lookup/order-call.ts'
import type { CancelAllForm, CancelledAll } from '../order-lookup/order-protocol.ts'
import { spotClosing } from '../position-part.ts'
import { textOf } from '../protocol/untrusted.ts'

// The calls of MEXC spot (docs/exchanges/mexc.md, 3 and 8). The table is at the end.

/** How many orders one call may have (docs/exchanges/mexc.md, 3). */
const MAX = 20

export const placing: OrderCallForm = {
  action: 'place',
  market: 'spot',
  clientIdName: 'newClientOrderId',
  // An error of the live exchange names this expression (docs/exchanges/mexc.md, 5: one source).
  clientIdRule: {
    pattern: /^[0-9a-zA-Z_-]{1,32}$/,
    words: '1 to 32 letters, digits, hyphens and underscores',
  },
  terms: {
    ...{ side: 'side', kind: 'type', price: 'price', size: 'quantity' },
    spends: 'quoteOrderQty',
  },
  closes: ({ side }) => spotClosing(textOf(side)),
}

export const cancelling: OrderCallForm = {
  action: 'cancel',
  market: 'spot',
  clientIdName: 'origClientOrderId',
}

const TYPES = ['limit', 'limit_maker', 'immediate_or_cancel', 'fill_or_kill', 'market'] as const

/** `timeInForce` and `newOrderRespType` are Binance's: bots send them, MEXC has none. */
const ORDER = namesOf(
  'symbol side type quantity quoteOrderQty price newClientOrderId stpMode',
  'timeInForce newOrderRespType',
)

const ordering: EffectForm = { fields: ORDER, read: readOrder }

function readOrder(fields: EffectFields): OrderEffect {
  const side = requiredWord(fields, 'side', ['buy', 'sell'])
  const type = requiredWord(fields, 'type', TYPES)
  const isMarket = type === 'market'
  return {
    kind: 'order',
    market: 'spot',
    symbol: requiredName(fields, 'symbol'),
    side,
    ...sizeOf(fields, isMarket && side === 'buy'),
    // A market order ignores the price; some libraries send one.
    price: isMarket ? undefined : requiredPositive(fields, 'price'),
    reduces: side === 'sell',
    closes: spotClosing(side),
    // Immediate-or-cancel and fill-or-kill may be taken as orders that stay (one report).
    rests: !isMarket,
  }
}

/** Of two sizes nobody knows which counts. */
function sizeOf(fields: EffectFields, maySpend: boolean): Pick<OrderEffect, 'size' | 'quoteSize'> {
  if (amountIn(fields, 'quoteOrderQty') === undefined)
    return { size: requiredPositive(fields, 'quantity') }
  if (!maySpend || amountIn(fields, 'quantity') !== undefined) throw unclear('quoteOrderQty')
  return { size: undefined, quoteSize: requiredPositive(fields, 'quoteOrderQty') }
}

const cancellingOfSymbols: CancelAllForm = {
  reach({ symbol }) {
    const symbols = textOf(symbol)?.split(',') ?? []
    return symbols.length === 0 || symbols.includes('') ? undefined : { market: 'spot', symbols }
  },
  response: ({ cancelled }) => cancelled.map(toCancelled),
}

const cancellingAll: CancelAllForm = {
  reach: () => ({ market: 'spot', symbols: [] }),
  response: (_orders, _fields, nowMs) => ({ code: 200, msg: 'success', timestamp: nowMs }),
}

/** What the gateway knows of it: MEXC's own response has the quantity that was filled, too. */
function toCancelled({ key, orderId, clientOrderId }: CancelledAll['cancelled'][number]): object {
  const { symbol, terms = {} } = key
  return {
    ...{ symbol, orderId, origClientOrderId: clientOrderId ?? '', price: terms.price },
    ...{ origQty: terms.size, type: terms.kind?.toUpperCase(), side: terms.side?.toUpperCase() },
    status: 'CANCELED',
  }
}

const SPOT = '/api/v3/'

/** What is not here is never done; `closed-calls.ts` has the reasons. */
const rows: readonly CallRow[] = [
  [
    'market',
    'GET',
    SPOT,
    `ping time depth trades aggTrades historicalTrades klines avgPrice ticker/24hr ticker/price
     ticker/bookTicker announcements symbol/offline etf/info`,
  ],
  ...rowsBelow('market', 'GET', SPOT, {
    exchangeInfo: { keepSeconds: 300 },
    defaultSymbols: { keepSeconds: 300 },
    // Facts about coins: no balance, no address. Libraries ask for it when they start with a key.
    'capital/config/getall': { needsKey: true, keepSeconds: 300 },
  }),

  [
    'account',
    'GET',
    SPOT,
    `account order openOrders allOrders myTrades tradeFee selfSymbols kyc/status uid
     mxDeduct/enable strategy/group strategy/group/uid`,
  ],

  ...rowsBelow('cancel', 'DELETE', SPOT, {
    order: { order: cancelling },
    openOrders: { cancelsAll: cancellingOfSymbols },
    // Every open spot order of the account.
    'order/all': { cancelsAll: cancellingAll },
  }),

  ...rowsBelow('order', 'POST', SPOT, {
    order: { order: placing, effect: ordering },
    // It trades nothing. It is judged like the order that it tries out.
    'order/test': { effect: ordering },
    batchOrders: {
      order: { ...placing, list: { field: 'batchOrders', max: MAX }, several: 'entries' },
      effect: { ...ordering, beside: namesOf('symbol') },
    },
  }),

  // Paying fees with MX; groups of accounts whose orders do not trade with each other, which MEXC
  // calls strategy groups: nothing in them trades.
  ['settings', 'POST', SPOT, 'mxDeduct/enable strategy/group strategy/group/uid'],
  ['settings', 'DELETE', SPOT, 'strategy/group strategy/group/uid'],
]

export const calls = readCallTable(rows, mexcClosed)
