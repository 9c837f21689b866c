import { describe, expect, test } from 'vitest'
import type { TestClient } from '../app.ts'
import { eventually } from '../support/eventually.ts'
import { PERMISSIONS, type Sluice } from './sluice.ts'

/** How an order is named: by the exchange's id, or by the bot's own. */
export type Ref = { readonly id: string } | { readonly own: string }
type Response = Promise<unknown>

/** The calls of a bot's day in the form of one door. What a door does not have is absent. */
export interface Calls {
  /** A limit buy of 0.01 BTC for 50,000, which rests. */
  place(own: string): Response
  find(ref: Ref): Response
  cancel(ref: Ref): Response
  history(): Response
  balance(): Response
  price?(): Response
  /** Five levels. */
  book?(): Response
  open?(): Response
  /** To 0.02 BTC for 49,000. */
  change?(id: string): Response
  /** 0.01 BTC at the market; a sell closes what a buy has opened. */
  trade?(side: 'buy' | 'sell'): Response
  positions?(): Response
}

/** ccxt names an order by the exchange's id alone, and not by the bot's own. */
export type Part = keyof Calls | 'own'

export interface Door {
  readonly name: string
  readonly exchange: 'mx' | 'bg'
  readonly market: 'spot' | 'futures'
  readonly unified?: boolean
  /** What it does not have. A spot market has no positions either. */
  readonly lacks?: readonly Part[]
  /** Where an order arrives at the exchange. */
  readonly path: string
  as(bot: TestClient): Calls | Promise<Calls>
}

type Row = Readonly<Record<string, unknown>>
const asRow = (value: unknown): Row => Object(value)

/** The list in a response, or its one row, whatever it is wrapped in. */
function rowsOf(response: unknown): Row[] {
  const data = asRow(response).data ?? response
  const { entrustedList, list, assets, balances } = asRow(data)
  const rows = [data, entrustedList, list, assets, balances].find(Array.isArray)
  // Bitget writes an empty list as null.
  const isEmpty = data === null || entrustedList === null || list === null
  return rows ?? (isEmpty ? [] : [asRow(data)])
}

const STATES: Readonly<Record<string, string>> = {
  ...{ '2': 'open', new: 'open', live: 'open', open: 'open' },
  ...{ '4': 'cancelled', canceled: 'cancelled', cancelled: 'cancelled' },
}
/** MEXC futures count in contracts. */
const CONTRACT = 0.0001

/** What matters in an order, in every door's form of it. */
function essenceOf(row: Row | undefined) {
  const { orderId, id, clientOrderId, clientOid, externalOid, price, vol, ...rest } = asRow(row)
  const size = rest.origQty ?? rest.qty ?? rest.size ?? rest.amount ?? Number(vol) * CONTRACT
  const state = STATES[`${rest.orderStatus ?? rest.status ?? rest.state}`.toLowerCase()]
  const own = clientOrderId ?? clientOid ?? externalOid
  return { id: orderId ?? id, own, price: Number(price), size: Number(size), state }
}

const isUsdt = ({ coin, asset, currency, marginCoin }: Row) =>
  (coin ?? asset ?? currency ?? marginCoin) === 'USDT'
function availableIn(response: unknown): number {
  const row = rowsOf(response).find(isUsdt) ?? asRow(asRow(response).USDT)
  return Number(row.available ?? row.availableBalance ?? row.free)
}

function heldIn(response: unknown) {
  return rowsOf(response).map(({ holdSide, posSide, side, positionType, total, ...rest }) => ({
    side: holdSide ?? posSide ?? side ?? (positionType === 1 ? 'long' : 'short'),
    size: Number(total ?? rest.contracts ?? Number(rest.holdVol) * CONTRACT),
  }))
}

const missing = (): never => {
  throw new Error('The door does not have this call')
}

/** A door, and a bot in front of it whose account nobody else trades on. */
interface Cell {
  readonly door: Door
  readonly calls: Calls
  readonly sluice: Sluice
  /** The name of the account at the exchange. */
  readonly account: string
  /** What was ordered with this account. */
  orders(): ReturnType<Sluice['paper']['orders']>
  /** Places the resting order, as `mine-1`; returns its id. */
  place(): Promise<string>
}

const RESTING = { price: 50_000, size: 0.01, state: 'open' }

async function isFoundAndCancelled({ calls, orders, place }: Cell, byOwn: boolean): Promise<void> {
  const id = await place()
  const ref = byOwn ? { own: 'mine-1' } : { id }
  const [found, ...others] = rowsOf(await calls.find(ref))
  expect([essenceOf(found), others]).toEqual([{ id, own: 'mine-1', ...RESTING }, []])
  await calls.cancel(ref)
  expect(orders()).toMatchObject([{ status: 'cancelled' }])
  expect(rowsOf(await calls.history()).map(essenceOf)).toEqual([
    { id, own: 'mine-1', ...RESTING, state: 'cancelled' },
  ])
}

/** What is true of each call, through whichever door it comes. */
const ROWS: readonly {
  readonly name: string
  readonly needs: Part
  check(cell: Cell): Promise<void>
}[] = [
  {
    name: 'an order is sent once, with the stored key, as it was meant',
    needs: 'place',
    async check({ door, account, orders, place, sluice }) {
      const id = await place()
      const [order, ...others] = orders()
      expect(others).toEqual([])
      expect(order).toMatchObject({
        ...{ market: door.market, symbol: 'BTCUSDT', side: 'buy', status: 'open' },
        ...{ size: '0.01', price: '50000', clientOrderId: 'mine-1' },
      })
      expect(id.endsWith(`${order?.orderId}`)).toBe(true)
      const { path } = door
      const arrived = sluice.paper.received({ path })
      expect(arrived).toMatchObject([{ method: 'POST', account, status: 200 }])
    },
  },
  {
    name: "an order is found by the exchange's id, cancelled by it, and in the history",
    needs: 'find',
    check: (cell) => isFoundAndCancelled(cell, false),
  },
  {
    name: "an order is found by the bot's own id, cancelled by it, and in the history",
    needs: 'own',
    check: (cell) => isFoundAndCancelled(cell, true),
  },
  {
    name: 'the balance is lower by what a resting order holds',
    needs: 'balance',
    async check({ calls, place }) {
      const before = availableIn(await calls.balance())
      expect(before).toBeGreaterThanOrEqual(1_000_000)
      const id = await place()
      expect(availableIn(await calls.balance())).toBeLessThan(before)
      await calls.cancel({ id })
      expect(availableIn(await calls.balance())).toBe(before)
    },
  },
  {
    name: 'an open order is listed',
    needs: 'open',
    async check({ calls: { open = missing }, place }) {
      expect(rowsOf(await open())).toEqual([])
      const id = await place()
      const listed = rowsOf(await open()).map(essenceOf)
      expect(listed).toEqual([{ id, own: 'mine-1', ...RESTING }])
    },
  },
  {
    name: 'an open order is changed',
    needs: 'change',
    async check({ calls: { change = missing }, orders, place }) {
      await change(await place())
      // Futures of Bitget's v2 respond before they change the order.
      await eventually(() => {
        const open = orders().filter(({ status }) => status === 'open')
        expect(open).toMatchObject([{ size: '0.02', price: '49000' }])
      })
    },
  },
  {
    name: 'a position is opened, read and closed',
    needs: 'positions',
    async check({ calls: { trade = missing, positions = missing }, orders }) {
      await trade('buy')
      expect(heldIn(await positions())).toEqual([{ side: 'long', size: 0.01 }])
      await trade('sell')
      expect(heldIn(await positions())).toEqual([])
      const traded = orders().map(({ side, status }) => `${side} ${status}`)
      expect(traded).toEqual(['buy filled', 'sell filled'])
    },
  },
  {
    name: 'the price is read',
    needs: 'price',
    async check({ calls: { price = missing } }) {
      const { lastPr, lastPrice, price: exact, last } = asRow(rowsOf(await price())[0])
      expect(Number(lastPr ?? lastPrice ?? exact ?? last)).toBe(60_000)
    },
  },
  {
    name: 'the order book has five levels',
    needs: 'book',
    async check({ calls: { book = missing } }) {
      const { asks, a = asks, bids, b = bids } = asRow(rowsOf(await book())[0])
      expect([a, b]).toMatchObject([{ length: 5 }, { length: 5 }])
    },
  },
]

/** Every call through every door: what arrives at the exchange, and what the bot gets back. */
export function testCalls(sluice: () => Sluice, doors: readonly Door[]): void {
  describe.each(doors)('$name', (door) => {
    const { exchange, market, lacks = [], unified = false } = door
    const rows = ROWS.filter(
      ({ needs }) => !lacks.includes(needs) && (market === 'futures' || needs !== 'positions'),
    )
    test.each(rows)('$name', async ({ check }) => {
      const { client, paper } = sluice()
      const bot = await client(undefined, { unified, permissions: PERMISSIONS })
      const account = `${bot.clientId}-${exchange}`
      const calls = await door.as(bot)
      paper.clearReceived()
      await check({
        ...{ door, calls, sluice: sluice(), account },
        orders: () => paper.orders(exchange).filter((order) => order.account === account),
        place: async () => `${essenceOf(rowsOf(await calls.place('mine-1'))[0]).id}`,
      })
    })
  })
}
