import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import type { TestClient } from '../app.ts'
import type { Calls, Door, Part, Ref } from './calls.ts'
import type { Sluice } from './sluice.ts'

type Method = 'GET' | 'POST' | 'DELETE'
type Fields = Readonly<Record<string, string | number | boolean>>
/** Sends a call; the fields of a GET travel in its query. */
type Send = (method: Method, url: string, fields?: Fields | readonly string[]) => Promise<unknown>
type Form = (send: Send) => Calls

const symbol = 'BTCUSDT'
const contract = 'BTC_USDT'
const productType = 'USDT-FUTURES'
const limit = { side: 'buy', orderType: 'limit', price: '50000' }

function inQuery(url: string, fields: object): string {
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [name, `${value}`])
  return pairs.length === 0 ? url : `${url}?${new URLSearchParams(pairs)}`
}

/** An order's id under the name that a call gives it. */
const named = (ref: Ref, id: string, own: string): Fields =>
  'id' in ref ? { [id]: ref.id } : { [own]: ref.own }

/** The documented routes of MEXC, for the spot symbol or the contract. */
const documentedMexc =
  (market: 'spot' | 'futures'): Form =>
  (send) => {
    const order = { symbol: market === 'spot' ? symbol : contract }
    const url = '/api/mx/v1'
    const limit = { ...order, side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
    const ids = (ref: Ref) => ({ ...order, ...named(ref, 'orderId', 'clientOrderId') })
    return {
      place: (own) => send('POST', `${url}/submitOrder`, { ...limit, clientOrderId: own }),
      find: (ref) => send('GET', `${url}/orderStatus`, ids(ref)),
      cancel: (ref) => send('POST', `${url}/cancelOrder`, ids(ref)),
      history: () => send('GET', `${url}/orderHistory`, { ...order, limit: 10 }),
      balance: () => send('GET', `${url}/getAccountInfo`, market === 'spot' ? {} : { market }),
    }
  }

/** The documented routes of Bitget's spot market, the same for both kinds of account. */
const documentedSpot: Form = (send) => {
  const url = '/api/bg/v1/spot'
  const ids = (ref: Ref) => named(ref, 'orderId', 'clientOid')
  return {
    place: (own) =>
      send('POST', `${url}/trade/place-order`, { symbol, ...limit, size: '0.01', clientOid: own }),
    find: (ref) => send('GET', `${url}/trade/orderInfo`, ids(ref)),
    cancel: (ref) => send('POST', `${url}/trade/cancel-order`, { symbol, ...ids(ref) }),
    history: () => send('GET', `${url}/trade/history`, { symbol }),
    balance: () => send('GET', '/api/bg/v1/getAccountInfo', { accountType: 'spot' }),
    price: () => send('GET', `${url}/market/tickers`, { symbol }),
    book: () => send('GET', `${url}/market/orderbook`, { symbol, limit: 5 }),
  }
}

/** The documented routes of Bitget's futures, the same for both kinds of account. */
const documentedFutures: Form = (send) => {
  const url = '/api/bg/v1/futures'
  const order = { symbol, marginMode: 'crossed', size: '0.01' }
  const ids = (ref: Ref) => ({ symbol, ...named(ref, 'orderId', 'clientOid') })
  const place = (fields: Fields) => send('POST', `${url}/trade/place-order`, fields)
  return {
    place: (own) => place({ ...order, ...limit, clientOid: own }),
    find: (ref) => send('GET', `${url}/trade/detail`, ids(ref)),
    cancel: (ref) => send('POST', `${url}/trade/cancel-order`, ids(ref)),
    history: () => send('GET', `${url}/trade/history`, { symbol }),
    balance: () => send('GET', '/api/bg/v1/getAccountInfo', { accountType: 'futures' }),
    price: () => send('GET', `${url}/market/ticker`, { symbol }),
    trade: (side) =>
      place({
        ...order,
        side,
        orderType: 'market',
        ...(side === 'sell' ? { reduceOnly: true } : {}),
      }),
    positions: () => send('GET', `${url}/position/all-position`),
  }
}

/** MEXC spot itself. The same paths work at the root: drop-in.test.ts, drop-in-orders.test.ts. */
const mexcSpot: Form = (send) => {
  const url = '/mx/api/v3'
  const order = { symbol, side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
  const ids = (ref: Ref) => ({ symbol, ...named(ref, 'orderId', 'origClientOrderId') })
  return {
    place: (own) => send('POST', inQuery(`${url}/order`, { ...order, newClientOrderId: own })),
    find: (ref) => send('GET', `${url}/order`, ids(ref)),
    cancel: (ref) => send('DELETE', inQuery(`${url}/order`, ids(ref))),
    history: () => send('GET', `${url}/allOrders`, { symbol }),
    balance: () => send('GET', `${url}/account`),
    open: () => send('GET', `${url}/openOrders`, { symbol }),
    price: () => send('GET', `${url}/ticker/price`, { symbol }),
    book: () => send('GET', `${url}/depth`, { symbol, limit: 5 }),
  }
}

/** MEXC futures itself. */
const mexcFutures: Form = (send) => {
  const url = '/mx/api/v1/private'
  const order = { symbol: contract, vol: 100, openType: 2, leverage: 10 }
  const create = (fields: Fields) => send('POST', `${url}/order/create`, { ...order, ...fields })
  return {
    place: (own) => create({ side: 1, type: 1, price: 50000, externalOid: own }),
    find: (ref) =>
      send(
        'GET',
        `${url}/order/${'id' in ref ? `get/${ref.id}` : `external/${contract}/${ref.own}`}`,
      ),
    cancel: (ref) =>
      'id' in ref
        ? send('POST', `${url}/order/cancel`, [ref.id])
        : send('POST', `${url}/order/cancel_with_external`, {
            symbol: contract,
            externalOid: ref.own,
          }),
    history: () => send('GET', `${url}/order/list/history_orders`, { symbol: contract }),
    balance: () => send('GET', `${url}/account/assets`),
    open: () => send('GET', `${url}/order/list/open_orders`, { page_num: 1, page_size: 20 }),
    trade: (side) => create({ side: side === 'buy' ? 1 : 4, type: 5 }),
    positions: () => send('GET', `${url}/position/open_positions`),
    price: () => send('GET', `/mx/api/v1/contract/ticker`, { symbol: contract }),
    book: () => send('GET', `/mx/api/v1/contract/depth/${contract}`, { limit: 5 }),
  }
}

/** Bitget's spot market itself, for classic accounts. */
const bitgetSpot: Form = (send) => {
  const url = '/bg/api/v2/spot'
  const order = { symbol, force: 'gtc', size: '0.01' }
  const ids = (ref: Ref) => named(ref, 'orderId', 'clientOid')
  return {
    place: (own) =>
      send('POST', `${url}/trade/place-order`, { ...order, ...limit, clientOid: own }),
    find: (ref) => send('GET', `${url}/trade/orderInfo`, ids(ref)),
    cancel: (ref) => send('POST', `${url}/trade/cancel-order`, { symbol, ...ids(ref) }),
    history: () => send('GET', `${url}/trade/history-orders`, { symbol }),
    balance: () => send('GET', `${url}/account/assets`),
    open: () => send('GET', `${url}/trade/unfilled-orders`, { symbol }),
    change: (orderId) => {
      const fields = { symbol, orderId, size: '0.02', price: '49000' }
      return send('POST', `${url}/trade/cancel-replace-order`, fields)
    },
    price: () => send('GET', `${url}/market/tickers`, { symbol }),
    book: () => send('GET', `${url}/market/orderbook`, { symbol, limit: 5 }),
  }
}

/** Bitget's futures themselves, for classic accounts. */
const bitgetFutures: Form = (send) => {
  const url = '/bg/api/v2/mix'
  const scope = { symbol, productType, marginCoin: 'USDT' }
  const order = { ...scope, marginMode: 'crossed', size: '0.01' }
  const place = (fields: Fields) => send('POST', `${url}/order/place-order`, fields)
  const ids = (ref: Ref) => ({ symbol, productType, ...named(ref, 'orderId', 'clientOid') })
  return {
    place: (own) => place({ ...order, ...limit, force: 'gtc', clientOid: own }),
    find: (ref) => send('GET', `${url}/order/detail`, ids(ref)),
    cancel: (ref) => send('POST', `${url}/order/cancel-order`, ids(ref)),
    history: () => send('GET', `${url}/order/orders-history`, { symbol, productType }),
    balance: () => send('GET', `${url}/account/accounts`, { productType }),
    open: () => send('GET', `${url}/order/orders-pending`, { symbol, productType }),
    change: (orderId) => {
      const change = { newClientOid: 'changed', newSize: '0.02', newPrice: '49000' }
      return send('POST', `${url}/order/modify-order`, { ...scope, orderId, ...change })
    },
    trade: (side) => place({ ...order, side, orderType: 'market' }),
    positions: () => send('GET', `${url}/position/all-position`, { productType }),
    price: () => send('GET', `${url}/market/ticker`, { symbol, productType }),
    book: () => send('GET', `${url}/market/merge-depth`, { symbol, productType, limit: 5 }),
  }
}

/** Bitget itself for unified accounts, whose calls name the market by a category. */
const bitgetUnified =
  (category: 'SPOT' | 'USDT-FUTURES'): Form =>
  (send) => {
    const url = '/bg/api/v3'
    const order = { category, symbol, qty: '0.01' }
    const place = (fields: Fields) => send('POST', `${url}/trade/place-order`, fields)
    const ids = (ref: Ref) => named(ref, 'orderId', 'clientOid')
    const market: Partial<Calls> = {
      trade: (side) => place({ ...order, side, orderType: 'market' }),
      positions: () => send('GET', `${url}/position/current-position`, { category, symbol }),
    }
    return {
      place: (own) => place({ ...order, ...limit, clientOid: own }),
      find: (ref) => send('GET', `${url}/trade/order-info`, ids(ref)),
      cancel: (ref) => send('POST', `${url}/trade/cancel-order`, ids(ref)),
      history: () => send('GET', `${url}/trade/history-orders`, { category, symbol }),
      balance: () => send('GET', `${url}/account/assets`),
      open: () => send('GET', `${url}/trade/unfilled-orders`, { category, symbol }),
      change: (orderId) =>
        send('POST', `${url}/trade/modify-order`, { orderId, qty: '0.02', price: '49000' }),
      price: () => send('GET', `${url}/market/tickers`, { category, symbol }),
      book: () => send('GET', `${url}/market/orderbook`, { category, symbol, limit: 5 }),
      ...(category === 'SPOT' ? {} : market),
    }
  }

const spot = { market: 'spot' } as const
const futures = { market: 'futures' } as const
const mxSpot = { ...spot, exchange: 'mx', path: '/api/v3/order' } as const
const mxFutures = { ...futures, exchange: 'mx', path: '/api/v1/private/order/create' } as const
const bgSpot = { ...spot, exchange: 'bg', path: '/api/v2/spot/trade/place-order' } as const
const bgFutures = { ...futures, exchange: 'bg', path: '/api/v2/mix/order/place-order' } as const
const unified = { exchange: 'bg', unified: true, path: '/api/v3/trade/place-order' } as const
const unifiedSpot = { ...spot, ...unified }
const unifiedFutures = { ...futures, ...unified }
// What a door lacks. A change by a documented route has tests of its own (bitget-futures.test.ts).
const FIXED: readonly Part[] = ['change']
const FEW: readonly Part[] = ['open', 'change']
const NO_BOOK: readonly Part[] = ['open', 'change', 'book']
const BASIC: readonly Part[] = ['open', 'change', 'positions', 'price', 'book']
const documented = (market: string) => ({ name: `documented routes, ${market}` })
const own = (market: string) => ({ name: `paths of the exchange, ${market}` })
const forms: readonly (Omit<Door, 'as'> & { readonly form: Form })[] = [
  { ...documented('MEXC spot'), ...mxSpot, lacks: BASIC, form: documentedMexc('spot') },
  { ...documented('MEXC futures'), ...mxFutures, lacks: BASIC, form: documentedMexc('futures') },
  { ...documented('Bitget spot'), ...bgSpot, lacks: FEW, form: documentedSpot },
  { ...documented('Bitget futures'), ...bgFutures, lacks: NO_BOOK, form: documentedFutures },
  { ...documented('unified spot'), ...unifiedSpot, lacks: FEW, form: documentedSpot },
  { ...documented('unified futures'), ...unifiedFutures, lacks: NO_BOOK, form: documentedFutures },
  { ...own('MEXC spot'), ...mxSpot, lacks: FIXED, form: mexcSpot },
  { ...own('MEXC futures'), ...mxFutures, lacks: FIXED, form: mexcFutures },
  { ...own('Bitget spot'), ...bgSpot, form: bitgetSpot },
  { ...own('Bitget futures'), ...bgFutures, form: bitgetFutures },
  { ...own('unified spot'), ...unifiedSpot, form: bitgetUnified('SPOT') },
  { ...own('unified futures'), ...unifiedFutures, form: bitgetUnified('USDT-FUTURES') },
]

/** The documented routes, and the exchanges' own paths. */
export const httpDoors = (sluice: () => Sluice): Door[] =>
  forms.map(({ form, ...door }) => ({ ...door, as: (bot) => form(sendAs(sluice, bot)) }))

const sendAs =
  (sluice: () => Sluice, { headers }: TestClient): Send =>
  async (method, url, fields) => {
    const { app } = sluice()
    const response: LightMyRequestResponse =
      method === 'GET'
        ? await app.inject({ url: inQuery(url, fields ?? {}), headers })
        : await app.inject({
            method,
            url,
            headers,
            ...(fields === undefined ? {} : { payload: fields }),
          })
    expect(response.statusCode, response.body).toBe(200)
    return response.json()
  }
