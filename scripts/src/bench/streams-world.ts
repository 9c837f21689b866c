import type { ChildProcess } from 'node:child_process'
import { setTimeout as passing } from 'node:timers/promises'
import { bgSpotPlaceOrder } from 'schema'
import { ask, endChild, forkOn, messageOf } from './child.ts'
import type { RequestTemplate } from './load.ts'
import { sluiceRequests } from './requests.ts'
import { type BenchClient, type Sluice, startSluice } from './sluice.ts'
import type { Heard, Open, StreamKind } from './streams-bots.ts'
import type { ByHand, Fills, Pushed } from './streams-exchange.ts'

/** A fill is pushed with its order and its account, in which two balances change. */
const EVENTS_PER_FILL = 4
/** Of an account. */
export const BOTS = 50
export const STREAMS_PER_CLIENT = 10
const CLIENTS_PER_ACCOUNT = BOTS / STREAMS_PER_CLIENT
/** Clients that place orders, each in an account of its own. */
const ORDERING = 12

/** An order that rests, and how it is filled: at a price below its limit. */
export interface Resting extends Pick<Fills, 'symbol' | 'price' | 'size'> {
  readonly limit: string
  readonly quantity: string
}

/** Each store has its own pairs: what is traded of a pair, its oldest order gets. */
export const RESTING = {
  sqlite: {
    own: { symbol: 'ETHUSDT', limit: '2400', quantity: '800', price: '2390', size: '0.001' },
    byHand: { symbol: 'SOLUSDT', limit: '140', quantity: '10000', price: '139', size: '0.01' },
  },
  postgres: {
    own: { symbol: 'XRPUSDT', limit: '2.4', quantity: '500000', price: '2.39', size: '0.1' },
    byHand: { symbol: 'DOGEUSDT', limit: '0.19', quantity: '5000000', price: '0.189', size: '1' },
  },
} as const satisfies Record<string, Record<string, Resting>>
type Store = keyof typeof RESTING

const restingOrder = ({ symbol, limit, quantity }: Resting) => ({
  ...{ category: 'SPOT', symbol, side: 'buy', orderType: 'limit', timeInForce: 'gtc' },
  ...{ qty: quantity, price: limit },
})

const keysOf = (account: string) => ({
  ...{ apiKey: `bg-${account}`, apiSecret: `secret-of-${account}`, passphrase: 'words' },
})

const namesOf = (what: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${what}-${index}`)

/** The paper exchange, and the bots that hear of its accounts through gateways. */
export class StreamsWorld {
  readonly url: string
  /** Accounts in which nothing happens. */
  readonly idle: readonly string[]
  readonly #exchange: ChildProcess
  readonly #bots: ChildProcess

  private constructor(exchange: ChildProcess, url: string, idle: readonly string[]) {
    this.#exchange = exchange
    this.url = url
    this.idle = idle
    this.#bots = forkOn('around', 'streams-bots.ts')
  }

  static async start(idleCount: number): Promise<StreamsWorld> {
    const idle = namesOf('idle', idleCount)
    const names = [...Object.keys(RESTING), ...idle, ...namesOf('ordering', ORDERING)]
    // All at Bitget, and unified: MEXC lets one address send fewer orders than these.
    const accounts = names.map((name) => ({
      ...{ exchange: 'bg', name, unified: true, balances: { USDT: '1000000000' } },
      ...keysOf(name),
    }))
    const exchange = forkOn('around', 'streams-exchange.ts', [JSON.stringify(accounts)])
    const { url } = await messageOf<{ url: string }>(exchange)
    return new StreamsWorld(exchange, url, idle)
  }

  async stop(): Promise<void> {
    await endChild(this.#bots)
    await endChild(this.#exchange)
  }

  gateway(env: Readonly<Record<string, string>> = {}): Promise<Sluice> {
    const { url } = this
    const sockets = url.replace('http', 'ws')
    return startSluice({
      upstream: url,
      env: {
        ACCOUNT_STREAMS: 'on',
        ...{ MEXC_SPOT_WS_URL: sockets, MEXC_FUTURES_WS_URL: sockets, BITGET_WS_URL: sockets },
        ...env,
      },
    })
  }

  /** Several clients for each account, with its keys. */
  clientsOf(sluice: Sluice, accounts: readonly string[]): Promise<BenchClient[]> {
    const accountOf = (index: number) => accounts[Math.floor(index / CLIENTS_PER_ACCOUNT)] ?? ''
    return sluice.createClients({
      count: accounts.length * CLIENTS_PER_ACCOUNT,
      keysOf: (index, at) => (at === 'bg' ? keysOf(accountOf(index)) : undefined),
    })
  }

  open({ origin }: Sluice, kind: StreamKind, clients: readonly BenchClient[]): Promise<number> {
    const tokens = clients.map(({ token }) => token)
    const asked: Open = { do: 'open', origin, kind, tokens, query: '?exchange=bg' }
    return ask(this.#bots, asked)
  }

  /** Fills of an order, and how long it took until the first bots knew of each; in their order. */
  async fill({ symbol, price, size }: Resting, eventsPerSecond: number, ms: number) {
    const [exchange, bots] = [this.#exchange, this.#bots]
    await ask(bots, { do: 'take' })
    const perSecond = eventsPerSecond / EVENTS_PER_FILL
    const startedMs = performance.now()
    const asked: Fills = { do: 'fill', symbol, price, size, perSecond, ms }
    const pushed = await ask<Pushed>(exchange, asked)
    const spentS = (performance.now() - startedMs) / 1_000
    await passing(200)
    const { events, fills } = await ask<Heard>(bots, { do: 'take' })
    if (pushed.length === 0) throw new Error(`Nothing of ${symbol} was filled`)
    const lagsOf = (kind: StreamKind) => {
      const heard = new Map(fills.flatMap(([of, ...fill]) => (of === kind ? [fill] : [])))
      return pushed.map(([id, atMs]) => (heard.get(id) ?? Number.POSITIVE_INFINITY) - atMs)
    }
    const lags = { ws: lagsOf('ws'), sse: lagsOf('sse') }
    return { lags, events, spentS, pushedPerSecond: (pushed.length * EVENTS_PER_FILL) / spentS }
  }

  /** Orders that rest: one of the first client, and one that no client placed. */
  async rest({ origin }: Sluice, clients: readonly BenchClient[], store: Store) {
    const { own, byHand } = RESTING[store]
    for (const { symbol, limit } of [own, byHand])
      await post(`${this.url}/paper/price`, { symbol, price: limit })
    const placed = { ...restingOrder(own), clientOid: `own-${store}` }
    await post(`${origin}/bg/api/v3/trade/place-order`, placed, clients[0]?.token)
    const placing: ByHand = { do: 'place', keys: keysOf(store), order: restingOrder(byHand) }
    const { status, text } = await ask<{ status: number; text: string }>(this.#exchange, placing)
    if (status !== 200) throw new Error(text)
    return { own, byHand }
  }

  async closeStreams(): Promise<void> {
    await ask(this.#bots, { do: 'close' })
  }

  /** What clients send that trade in accounts which no bot watches. */
  async orders(sluice: Sluice): Promise<readonly RequestTemplate[]> {
    const clients = await sluice.createClients({
      count: ORDERING,
      keysOf: (index, at) => (at === 'bg' ? keysOf(`ordering-${index}`) : undefined),
    })
    return sluiceRequests(clients).order.filter(({ path }) => path === bgSpotPlaceOrder.path)
  }
}

/** @throws unless it succeeds */
async function post(url: string, body: object, token = ''): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
}
