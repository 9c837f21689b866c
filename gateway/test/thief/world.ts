import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { ClientLimitChanges } from 'schema'
import { expect, onTestFinished } from 'vitest'
import type { PaperOrder } from '../../paper-exchange/src/control.ts'
import { createPaperExchange, type PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { type AppOptions, buildApp } from '../../src/app.ts'
import { systemTime } from '../../src/time.ts'
import { ADMIN, createAccount, LOWEST_COST, testConfig } from '../app.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type Base, COINS, type ThiefCall } from './calls.ts'
import type { Dice } from './dice.ts'

/** Far less than the 5 % that the valuation of market orders assumes for a minute. */
const MOVE_MAX = 0.045
const MINUTE_MS = 61_000
const START: Readonly<Record<Base, number>> = { BTC: 60_000, ETH: 2_500, SOL: 150, DOGE: 0.2 }
const bases = Object.keys(COINS) as Base[]
const PERMISSIONS = ['market', 'account', 'trade', 'settings', 'strategies']

const APP_OPTIONS: AppOptions = {
  laneStartDelayMs: 0,
  passwordCost: LOWEST_COST,
  reconcile: { callerPausesMs: [0, 10], backgroundPausesMs: [20] },
  keyExpiry: { firstAfterMs: 24 * 3_600_000 },
}

const STOP = { reason: 'a test', cancelOrders: true }

export interface Keyring {
  readonly clientId: string
  readonly id: number
  readonly headers: { readonly authorization: string }
}

export type World = Awaited<ReturnType<typeof thiefWorld>>

/**
 * A gateway over a file, which can be restarted, before a paper exchange whose prices move.
 * @param more options of the app on top of its own
 */
export async function thiefWorld(env: Record<string, string> = {}, more: AppOptions = {}) {
  let skippedMs = 0
  const prices = { ...START }
  const paper = await createPaperExchange({
    nowMs: () => Date.now() + skippedMs,
    monotonicMs: () => performance.now() * 1_000,
  })
  onTestFinished(() => paper.close())
  const variables = {
    DATABASE_URL: `file:${join(tempFolder(), 'sluice.db')}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
    ...{ CLIENT_REQUESTS_PER_MINUTE: '0', CLIENT_TOKENS_PER_MINUTE: '0' },
    ...env,
  }
  const start = async () => {
    const started = await buildApp(testConfig(paper.url, variables), {
      ...APP_OPTIONS,
      time: { ...systemTime, monotonic: () => performance.now() + skippedMs },
      ...more,
    })
    await started.ready()
    return started
  }
  let app = await start()
  onTestFinished(() => app.close())
  const asAdmin = await signIn(app)
  const admin = async (method: 'POST' | 'PUT', url: string, payload: object) => {
    const response = await app.inject({ method, url, headers: asAdmin, payload })
    expect(response.statusCode, response.body).toBeLessThan(300)
    return response.json()
  }
  /** What an administrator reads. */
  const read = async (url: string) => (await app.inject({ url, headers: asAdmin })).json()

  return {
    ...{ paper, prices, read },
    /** @param whileDown called once the first process has ended */
    async restart(whileDown = () => {}) {
      await app.close()
      whileDown()
      app = await start()
    },
    /** Another minute begins: prices are read again, and then they move. */
    movePrices(dice: Dice) {
      skippedMs += MINUTE_MS
      for (const base of bases) {
        const moved = prices[base] * (1 + dice.between(-MOVE_MAX, MOVE_MAX))
        setPrice(base, Math.min(Math.max(moved, START[base] / 2), START[base] * 2))
      }
    },
    setPrice,
    skip(ms: number) {
      skippedMs += ms
    },
    setLimits: (client: Keyring, limits: ClientLimitChanges) =>
      admin('PUT', `/api/admin/client-credentials/${client.id}/limits`, limits),
    /** Begins to cancel all that the client has open. */
    stop: ({ id }: Keyring) => admin('POST', `/api/admin/client-credentials/${id}/stop`, STOP),
    /** How many calls to MEXC are on their way. */
    inFlight: async (): Promise<number> => (await read('/api/stats')).exchanges[0].inFlight,
    usage: async (client: Keyring) =>
      (await app.inject({ url: '/api/limits', headers: client.headers })).json().usage,
    /** Two clients with the keys of the same accounts, and the books of those accounts. */
    async clients(name: string, unified: boolean) {
      const keys = {
        mx: createAccount(paper, 'mx', name),
        bg: createAccount(paper, 'bg', name, unified),
      }
      const enrol = async (clientId: string): Promise<Keyring> => {
        const { id, clientSecret } = await admin('POST', '/api/admin/client-credentials', {
          ...{ clientId, permissions: PERMISSIONS },
        })
        for (const exchange of ['mx', 'bg'] as const)
          await admin('POST', '/api/admin/client-api-keys', {
            ...{ clientId, exchange, ...keys[exchange] },
          })
        const payload = { clientId, clientSecret }
        const issued = await app.inject({ method: 'POST', url: '/auth/token', payload })
        return { clientId, id, headers: { authorization: `Bearer ${issued.json().token}` } }
      }
      const ledger = createLedger(paper, [`${name}-mx`, `${name}-bg`], (quote) =>
        quote === 'USDT' ? 1 : prices.BTC,
      )
      return { thief: await enrol(name), owner: await enrol(`${name}-owner`), ledger }
    },
    send: ({ headers }: Keyring, call: ThiefCall) => {
      const { method = 'POST', url, fields, text, isForm = false } = call
      const payload = text ?? (fields === undefined ? undefined : JSON.stringify(fields))
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
      return app.inject({
        method: method as 'POST',
        url,
        headers: {
          ...headers,
          ...(payload === undefined ? {} : { 'content-type': type }),
          ...call.headers,
        },
        ...(payload === undefined ? {} : { payload }),
      })
    },
  }

  function setPrice(base: Base, price: number): void {
    prices[base] = Number(price.toFixed(COINS[base].priceDecimals))
    paper.setPrice(`${base}USDT`, `${prices[base]}`)
  }
}

async function signIn(app: FastifyInstance) {
  const signedIn = await app.inject({ method: 'POST', url: '/auth/login', payload: ADMIN })
  return { authorization: `Bearer ${signedIn.json().token}` }
}

/** What an account moved, USDT, as the paper exchange has it. */
export interface Moved {
  /** Orders on the book, each change anew, and what traded at once. */
  readonly booked: number
  readonly traded: number
  /** The largest order. */
  readonly largest: number
  readonly symbols: ReadonlySet<string>
}

interface Seen {
  readonly terms: string
  readonly traded: number
}

/**
 * The books of an account: what each of its orders was worth when it came or was changed.
 * @param usdtOf what one of a quote coin costs now
 */
function createLedger(
  paper: PaperExchange,
  accounts: readonly string[],
  usdtOf: (quote: string) => number,
) {
  const seen = new Map<string, Seen>()
  let moved: Moved = { booked: 0, traded: 0, largest: 0, symbols: new Set() }
  const orders = () => paper.orders().filter(({ account }) => accounts.includes(account))

  function enter(order: PaperOrder): void {
    const id = `${order.exchange} ${order.market} ${order.orderId}`
    const rate = usdtOf(order.symbol.endsWith('USDT') ? 'USDT' : 'BTC')
    const traded = Number(order.filledValue) * rate
    const terms = `${order.price} ${order.size}`
    const before = seen.get(id)
    if (before?.terms === terms && before.traded === traded) return
    seen.set(id, { terms, traded })
    const { booked, traded: all, largest, symbols } = moved
    const placed = order.price === null ? 0 : Number(order.price) * Number(order.size) * rate
    const isNew = before?.terms !== terms
    const value = isNew ? Math.max(placed, traded) : Math.max(0, traded - placed)
    moved = {
      ...{ booked: booked + value, traded: all + traded - (before?.traded ?? 0) },
      largest: Math.max(largest, placed, traded),
      symbols: new Set([...symbols, order.symbol]),
    }
  }

  /** Reads what is new. */
  function read(): Moved {
    paper.tick()
    for (const order of orders()) enter(order)
    return moved
  }

  return {
    read,
    /** Whatever is new is somebody else's. */
    ignoreNew() {
      const before = moved
      read()
      moved = before
    },
    /** The account's orders that rest. */
    open: (): readonly PaperOrder[] => orders().filter(({ status }) => status === 'open'),
  }
}
