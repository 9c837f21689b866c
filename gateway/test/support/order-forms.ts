import type { ExchangeCode } from 'schema'

type Fields = Readonly<Record<string, unknown>>

/** How a limit order of 0.01 BTC is written at one of the APIs, without its side and its price. */
export interface OrderForm {
  readonly name: string
  readonly exchange: ExchangeCode
  readonly url: string
  readonly fields: Fields
  /** The field of the client order id. */
  readonly idName: string
  readonly sides: readonly [buy: string | number, sell: string | number]
  readonly inQuery?: true
}

type Api = Pick<OrderForm, 'exchange' | 'idName' | 'sides'>
const MX: Api = { exchange: 'mx', idName: 'clientOrderId', sides: ['BUY', 'SELL'] }
const BG: Api = { exchange: 'bg', idName: 'clientOid', sides: ['buy', 'sell'] }
const mexc = { symbol: 'BTCUSDT', type: 'LIMIT', quantity: '0.01' }
const bitget = { symbol: 'BTCUSDT', orderType: 'limit', size: '0.01' }
const gtc = { force: 'gtc' }
const mix = { ...bitget, marginMode: 'crossed' }
const product = { productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const contract = { symbol: 'BTC_USDT', vol: 100, type: 1, openType: 2 }
const [SUBMIT, SPOT, MIX] = ['/api/mx/v1/submitOrder', '/api/v2/spot/trade', '/api/v2/mix/order']
const CREATE = '/mx/api/v1/private/order/create'

const form = (api: Api, name: string, url: string, fields: Fields): OrderForm => ({
  ...{ ...api, name, url, fields },
})

export const FORMS = {
  mexcFutures: form(MX, 'MEXC futures', SUBMIT, { ...mexc, symbol: 'BTC_USDT' }),
  mexcSpot: form(MX, 'MEXC spot', SUBMIT, mexc),
  rawMexcFutures: {
    ...form(MX, 'MEXC futures in the raw form', CREATE, contract),
    ...{ idName: 'externalOid', sides: [1, 3] },
  },
  rawMexcSpot: {
    ...form(MX, 'MEXC spot in the raw form', '/mx/api/v3/order', mexc),
    ...{ idName: 'newClientOrderId', inQuery: true },
  },
  bitgetSpot: form(BG, 'Bitget spot', '/api/bg/v1/spot/trade/place-order', { ...bitget, ...gtc }),
  bitgetFutures: form(BG, 'Bitget futures', '/api/bg/v1/futures/trade/place-order', mix),
  rawBitgetSpot: form(BG, 'Bitget spot in the raw form', `/bg${SPOT}/place-order`, {
    ...{ ...bitget, ...gtc },
  }),
  rawBitgetFutures: form(BG, 'Bitget futures in the raw form', `/bg${MIX}/place-order`, {
    ...{ ...mix, ...product, ...gtc },
  }),
} as const satisfies Readonly<Record<string, OrderForm>>

/** The address and the body of an order with these fields. */
export function callOf(
  { url, fields, inQuery }: OrderForm,
  more: Fields,
): [url: string, body: object | string] {
  const all = { ...fields, ...more }
  const texts = Object.entries(all).map(([name, value]) => [name, `${value}`])
  const query = new URLSearchParams(Object.fromEntries(texts))
  return inQuery === true ? [`${url}?${query}`, ''] : [url, all]
}

/** A buy at a price that it rests at. */
export const restingCall = (form: OrderForm, price = '50000') =>
  callOf(form, { side: form.sides[0], price })

const { rawMexcSpot, rawMexcFutures, rawBitgetSpot, rawBitgetFutures } = FORMS
/** Calls that place an order that rests in each market of both exchanges. */
export const ONE_IN_EACH_MARKET = [
  ...[rawMexcSpot, rawMexcFutures, rawBitgetSpot, rawBitgetFutures].map((form) =>
    restingCall(form),
  ),
]

/** How several orders are written in one call on an exchange's own path. */
export interface BatchForm extends Pick<OrderForm, 'name' | 'exchange' | 'idName'> {
  readonly path: string
  /** An order that rests, of this size in BTC. */
  readonly entry: (btc: number, price?: string) => Record<string, unknown>
  /** Query and body of a call about these. */
  readonly write: (entries: readonly object[]) => { query?: string; body?: string }
  /** Of Bitget's unified account. */
  readonly unified?: boolean
}

const asBody = (value: unknown) => ({ body: JSON.stringify(value) })
const bitgetEntry: BatchForm['entry'] = (size, price = '50000') => ({
  ...{ side: 'buy', orderType: 'limit', force: 'gtc', price, size: `${size}` },
})

export const BATCHES: readonly BatchForm[] = [
  {
    ...{ name: 'MEXC spot', exchange: 'mx', path: '/api/v3/batchOrders' },
    idName: 'newClientOrderId',
    entry: (btc, price = '50000') => ({ ...mexc, side: 'BUY', price, quantity: `${btc}` }),
    write: (entries) => ({ query: `?batchOrders=${encodeURIComponent(JSON.stringify(entries))}` }),
  },
  {
    ...{ name: 'MEXC futures', exchange: 'mx', path: '/api/v1/private/order/submit_batch' },
    idName: 'externalOid',
    entry: (btc, price = '50000') => ({
      ...{ ...contract, side: 1, price: Number(price), vol: btc * 10_000, leverage: 1 },
    }),
    write: asBody,
  },
  {
    ...{ ...BG, name: 'Bitget spot', path: `${SPOT}/batch-orders`, entry: bitgetEntry },
    write: (orderList) => asBody({ symbol: 'BTCUSDT', orderList }),
  },
  {
    ...{ ...BG, name: 'Bitget futures', path: `${MIX}/batch-place-order`, entry: bitgetEntry },
    write: (orderList) =>
      asBody({ ...product, symbol: 'BTCUSDT', marginMode: 'crossed', orderList }),
  },
  {
    ...{ ...BG, name: 'Bitget v3', path: '/api/v3/trade/place-batch', unified: true },
    entry: (btc, price = '50000') => ({
      ...{ category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' },
      ...{ price, qty: `${btc}` },
    }),
    write: asBody,
  },
]
