import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished } from 'vitest'
import type { AppOptions } from '../../src/app.ts'
import { testApp } from '../app.ts'
import type { Bot } from './bot-of.ts'
import { type OrderForm, restingCall } from './order-forms.ts'
import { createSetTime, type SetTime } from './set-time.ts'
import { tempFolder } from './temp-folder.ts'

interface Row {
  readonly account_ref: number
  readonly owner_ref: number | null
  readonly type: string
  readonly market: string
  readonly source: string
  readonly data: string
}

/**
 * The gateway with account streams in a time that is set, and the events that it has written.
 * @param pace requests per second to each exchange, which then notes arrivals by the set time;
 * absent: so many that no test waits for them
 */
export async function streamingGateway(app: AppOptions = {}, pace?: number) {
  const database = join(tempFolder(), 'sluice.db')
  const logLines: string[] = []
  const time = createSetTime()
  const world = await testApp({
    ...{ logLines, time, app },
    env: {
      ...{ DATABASE_URL: `file:${database}`, ACCOUNT_STREAMS: 'on' },
      ...(pace === undefined ? {} : { RATE_LIMIT_PER_SECOND: `${pace}` }),
    },
    ...(pace === undefined ? {} : { paper: { monotonicMs: () => time.monotonic() } }),
  })
  const db = new Database(database, { readonly: true })
  onTestFinished(() => void db.close())
  const select = db.prepare('select * from stream_events order by seq')
  const events = () =>
    (select.all() as Row[]).map((row) => ({ ...row, data: JSON.parse(row.data) }))
  /** The states of a market, each with its reason where it has one. */
  const states = (market: string) =>
    events()
      .filter((event) => event.type === 'state' && event.market === market)
      .map(({ data: { state, reason } }) => (reason === null ? state : `${state}: ${reason}`))
  return {
    ...{ ...world, time, events, states, database },
    until: (market: string, state: string, options?: Parameters<SetTime['passUntil']>[1]) =>
      time.passUntil(() => expect(states(market).at(-1)).toBe(state), options),
    /** Also when the next state has followed at once. */
    untilSeen: (market: string, state: string) =>
      time.passUntil(() => expect(states(market)).toContain(state)),
    sockets: (stream: string) => world.paper.streams.list().filter((one) => one.stream === stream),
    /** What the log says with these words. */
    said: (words: string) => logLines.filter((line) => line.includes(words)),
    of: (type: string) => events().filter((event) => event.type === type),
    /** Orders that buy at this price are filled. */
    fallTo(price: string) {
      world.paper.setPrice('BTCUSDT', price)
      world.paper.tick()
    },
  }
}

/** Places an order that rests. @returns its id */
export async function restingOrder(bot: Bot, form: OrderForm, price?: string): Promise<string> {
  const placed = await bot.post(...restingCall(form, price))
  expect(placed.statusCode, placed.body).toBe(200)
  const { orderId, data } = placed.json()
  return `${orderId ?? data.orderId ?? data}`
}
