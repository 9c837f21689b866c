import { OWN_CANCELS_MAX } from 'schema'
import { expect, test } from 'vitest'
import { createSetTime } from '../../test/support/set-time.ts'
import { NotOwnerError } from '../store/errors.ts'
import type { CancelProgress } from './cancel-working-orders.ts'
import { ownOrdersOf, toOwnCancel } from './own-cancel-run.ts'
import { OwnCancels } from './own-cancels.ts'
import type { ClientOrders } from './send-cancel.ts'
import type { WorkingOrder } from './working-order.ts'

const BOT = { clientRef: 1, clientId: 'bot' }

/** An order of each symbol, with the place in the list as its ids. */
const ordersOf = (symbols: readonly string[]) =>
  symbols.map(
    (symbol, at): WorkingOrder => ({
      ...{ id: at + 1, clientRef: 1, exchange: 'mx', keysRef: 1, placedAtMs: 0 },
      ...{ journalId: `request-${at}`, orderId: `${at}`, clientOrderId: null },
      key: { exchange: 'mx', family: 'mexc-futures', market: 'futures', action: 'place', symbol },
    }),
  )

/**
 * Cancels of these orders, which end when the test says so.
 * @param owner as the database knows it
 */
function cancelsOf(orders: readonly WorkingOrder[], fact?: string, owner?: { fence: number }) {
  const time = createSetTime()
  const begun: { of: ClientOrders; progress: CancelProgress; end: () => void }[] = []
  const written: string[] = []
  const failed: unknown[] = []
  const cancels = new OwnCancels({
    workingOrders: { list: () => [...orders], requestsSent: () => [] },
    canceller: {
      cancelAll: (of, progress) =>
        new Promise((resolve) => {
          const end = () => resolve([])
          progress.signal.addEventListener('abort', end)
          begun.push({ of, progress, end })
        }),
    },
    events: { emit: (_, fields) => void failed.push(fields) },
    facts: {
      get: async () => fact,
      async set(_, value, _entries, fence) {
        if (fence !== owner?.fence) throw new NotOwnerError()
        written.push(value)
      },
    },
    ...{ nowMs: () => time.now(), time },
  })
  /** As if the exchange had cancelled these. */
  const cancelled = (...named: readonly WorkingOrder[]) =>
    begun[0]?.progress.onCancelled(
      named.map(({ orderId, key: { symbol = null } }) => ({
        ...{ symbol, orderId, clientOrderId: null },
      })),
    )
  return { time, cancels, begun, written, failed, cancelled }
}

const isCancelledIn = (fact: string | undefined) =>
  JSON.parse(fact ?? '[]').map((run: { orders: { isCancelled: boolean }[] }) =>
    run.orders.map(({ isCancelled }) => isCancelled),
  )

test('a client may have 100 cancels running; a call may join one, and cancel everything', async () => {
  const symbols = Array.from({ length: OWN_CANCELS_MAX + 1 }, (_, at) => `S${at}_USDT`)
  const { cancels, begun } = cancelsOf(ordersOf(symbols))
  const start = (symbol?: string) => cancels.start(BOT, ownOrdersOf(symbol, 'mx'))
  const [last = '', ...others] = symbols.toReversed()
  const runs = others.map((symbol) => start(symbol))
  const refused = { code: 'CLIENT_QUEUE_SHARE_EXCEEDED', statusCode: 429, sent: false }
  expect(() => start(last)).toThrow(expect.objectContaining(refused))
  expect(begun).toHaveLength(OWN_CANCELS_MAX)
  expect(start(others[0])).toBe(runs[0])
  expect(toOwnCancel(start())).toMatchObject({ state: 'running', orders: symbols.length })
  const other = { clientRef: 2, clientId: 'other' }
  expect(cancels.start(other, ownOrdersOf(last, 'mx'))).toMatchObject({ client: other })
  for (const { of, end } of begun) if (of.clientRef === 1) end()
  await Promise.all(runs.map(({ done }) => done))
  expect(start(last).completedAtMs).toBeNull()
})

test('what has been cancelled is stored once a second, and at the end of the process', async () => {
  const orders = ordersOf(['BTC_USDT', 'BTC_USDT', 'BTC_USDT'])
  const { time, cancels, written, cancelled } = cancelsOf(orders)
  await cancels.keep(cancels.start(BOT, ownOrdersOf('BTCUSDT', 'mx')))
  expect(written).toHaveLength(1)
  for (const order of orders.slice(0, 2)) cancelled(order)
  await time.advance(999)
  expect(written).toHaveLength(1)
  await time.advance(1)
  expect(written).toHaveLength(2)
  expect(isCancelledIn(written.at(-1))).toEqual([[true, true, false]])
  await time.advance(60_000)
  expect(written).toHaveLength(2)
  cancelled(...orders)
  await cancels.close()
  expect(written).toHaveLength(3)
  expect(isCancelledIn(written.at(-1))).toEqual([[true, true, true]])
})

test('a node writes its cancels as the owner that it was, also while it closes, and a former owner writes none', async () => {
  const orders = ordersOf(['BTC_USDT', 'BTC_USDT', 'BTC_USDT'])
  const owner = { fence: 7 }
  const { time, cancels, begun, written, cancelled, failed } = cancelsOf(orders, undefined, owner)
  await cancels.restore(7)
  const run = cancels.start(BOT, ownOrdersOf('BTCUSDT', 'mx'))
  await cancels.keep(run)
  cancelled(...orders.slice(0, 1))
  await time.advance(1_000)
  cancelled(...orders.slice(1, 2))
  const closing = cancelsOf(orders, written.at(-1), owner)
  await closing.cancels.restore(7)
  closing.cancelled(...orders.slice(0, 2))
  await closing.cancels.close()
  expect([...written, ...closing.written].map(isCancelledIn)).toEqual([
    ...[[[false, false, false]], [[true, false, false]], [[true, true, false]]],
  ])
  owner.fence = 8
  await time.advance(1_000)
  for (const { end } of begun) end()
  await run.done
  await cancels.close()
  expect(written).toHaveLength(2)
  expect(failed).toEqual([])
})

test('a stored cancel that cannot be read is reported, and those after it are continued', async () => {
  const orders = ordersOf(['BTC_USDT', 'ETH_USDT'])
  const before = cancelsOf(orders)
  for (const symbol of ['BTC_USDT', 'ETH_USDT'])
    await before.cancels.keep(before.cancels.start(BOT, ownOrdersOf(symbol)))
  const [one, two] = JSON.parse(before.written.at(-1) ?? '')
  const unreadable = [{}, null, { ...one, filter: undefined }, { ...one, orders: [{}] }]
  const fact = JSON.stringify([...unreadable.slice(0, 2), one, ...unreadable.slice(2), two])
  const { cancels, begun, failed } = cancelsOf(orders, fact)
  await cancels.restore()
  expect(failed).toHaveLength(unreadable.length)
  expect(begun.map(({ of }) => of)).toMatchObject([
    ...[{ exchange: 'mx' }, { exchange: 'bg' }, { exchange: 'mx' }, { exchange: 'bg' }],
  ])
  for (const { id } of [one, two]) expect(cancels.find(1, id)?.orders.size).toBe(1)
})
