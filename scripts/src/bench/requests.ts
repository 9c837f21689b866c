import { bgSpotOrderInfo, bgSpotPlaceOrder, getToken, mxOrderStatus, mxSubmitOrder } from 'schema'
import type { RequestTemplate } from './load.ts'
import type { World } from './proxies.ts'
import type { BenchClient } from './sluice.ts'

/** What a bot does most: asks for one of its orders, and places one. */
export const KINDS = ['read', 'order'] as const
export type Kind = (typeof KINDS)[number]

export type Requests = Readonly<Record<Kind, readonly RequestTemplate[]>>

const JSON_TYPE = 'application/json'
const SYMBOL = 'BTCUSDT'
const SIGNATURE = 'f'.repeat(64)

/**
 * Sluice's documented routes. Half of the requests are for each exchange, because the queue before
 * one lets no more than 1,000 a second pass.
 */
export function sluiceRequests(clients: readonly BenchClient[]): Requests {
  const headers = ({ token }: BenchClient) => ({ authorization: `Bearer ${token}` })
  return {
    read: clients.flatMap((client) => [
      {
        method: 'GET',
        path: `${mxOrderStatus.path}?symbol=${SYMBOL}&clientOrderId={n}`,
        headers: headers(client),
      },
      {
        method: 'GET',
        path: `${bgSpotOrderInfo.path}?clientOid={n}`,
        headers: headers(client),
      },
    ]),
    order: clients.flatMap((client) => {
      const ofOrder = {
        ...headers(client),
        'content-type': JSON_TYPE,
        'idempotency-key': 'bench-order-{n}',
      }
      return [
        {
          method: 'POST',
          path: mxSubmitOrder.path,
          headers: ofOrder,
          body: JSON.stringify({
            ...{ symbol: SYMBOL, side: 'BUY', type: 'LIMIT' },
            ...{ quantity: '0.001', price: '60000', clientOrderId: '{n}' },
          }),
        },
        {
          method: 'POST',
          path: bgSpotPlaceOrder.path,
          headers: ofOrder,
          body: JSON.stringify({
            ...{ symbol: SYMBOL, side: 'buy', orderType: 'limit' },
            ...{ size: '0.001', price: '60000', clientOid: '{n}' },
          }),
        },
      ]
    }),
  }
}

/** The calls that Sluice makes of these: what a proxy gets that only passes on. */
export function exchangeRequests(): Requests {
  const timed = `timestamp=1772721022000&signature=${SIGNATURE}`
  const mexc = { 'x-mexc-apikey': 'key-of-bench', 'content-type': JSON_TYPE }
  const bitget = {
    'access-key': 'key-of-bench',
    'access-sign': SIGNATURE,
    'access-timestamp': '1772721022000',
    'access-passphrase': 'passphrase',
    'content-type': JSON_TYPE,
  }
  const mexcOrder = `symbol=${SYMBOL}&side=BUY&type=LIMIT&quantity=0.001&price=60000&newClientOrderId={n}`
  return {
    read: [
      {
        method: 'GET',
        path: `/api/v3/order?symbol=${SYMBOL}&origClientOrderId={n}&${timed}`,
        headers: { 'x-mexc-apikey': 'key-of-bench' },
      },
      {
        method: 'GET',
        path: '/api/v2/spot/trade/orderInfo?clientOid={n}',
        headers: bitget,
      },
    ],
    order: [
      { method: 'POST', path: `/api/v3/order?${mexcOrder}&${timed}`, headers: mexc, body: '' },
      {
        method: 'POST',
        path: '/api/v2/spot/trade/place-order',
        headers: bitget,
        body: JSON.stringify({
          ...{ symbol: SYMBOL, side: 'buy', orderType: 'limit', force: 'gtc' },
          ...{ price: '60000', size: '0.001', clientOid: '{n}' },
        }),
      },
    ],
  }
}

/** A response that Sluice gives without the exchange. */
export interface OwnResponse {
  readonly name: 'token' | '401' | '401 forged' | '429'
  readonly origin: string
  readonly request: RequestTemplate
  readonly status: number
  /** Brings about what the response is for; called before each run. */
  readonly prepare?: () => Promise<void>
}

/** One more than the wrong secrets that a client may send in a minute. */
const WRONG_SECRETS = 11

export function ownResponses({ sluice, clients }: World): OwnResponse[] {
  const [{ clientId, clientSecret, token } = { clientId: '', clientSecret: '', token: '' }] =
    clients
  const read = (authorization: string): RequestTemplate => ({
    method: 'GET',
    path: `${mxOrderStatus.path}?symbol=BTCUSDT&clientOrderId={n}`,
    headers: { authorization },
  })
  const ask = (secret: string): RequestTemplate => ({
    method: 'POST',
    path: getToken.path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret: secret }),
  })
  const { origin } = sluice
  const wrong = ask(`${clientSecret.slice(0, -8)}{n}`)
  return [
    { name: 'token', origin, status: 200, request: ask(clientSecret) },
    { name: '401', origin, status: 401, request: read('Bearer {n}') },
    { name: '401 forged', origin, status: 401, request: read(`Bearer ${forged(token)}`) },
    {
      ...{ name: '429', origin, status: 429, request: wrong },
      async prepare() {
        const { path, ...init } = wrong
        for (let sent = 0; sent < WRONG_SECRETS; sent += 1) await fetch(`${origin}${path}`, init)
      },
    },
  ]
}

/** A token of the right form whose signature was made by nobody, another one each time. */
function forged(token: string): string {
  const [header, claims] = token.split('.')
  return `${header}.${claims}.{signature}`
}
