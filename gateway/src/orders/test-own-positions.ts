import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import type { PositionSide } from '../exchanges/position-part.ts'
import type { LearntFills, OwnPositionChange, OwnPositionRow } from '../store/own-position-store.ts'
import { OwnPositions } from './own-positions.ts'

// For tests of the record of own positions.

export const MX = 'futures BTC_USDT'
export const BG = 'futures USDT-FUTURES BTCUSDT'

/** An order of MEXC futures; side 1 opens a long position, 4 closes it. */
export function mx(
  side: '1' | '2' | '3' | '4',
  size: string,
  more: Partial<OrderKey> = {},
): OrderKey {
  return {
    ...{ exchange: 'mx', family: 'mexc-futures', market: 'futures', action: 'place' },
    ...{ symbol: 'BTC_USDT', terms: { side, size, kind: 'limit' } },
    ...more,
  }
}

/** An order of an account of Bitget with one position a symbol. */
export function bg(side: 'buy' | 'sell', size: string, reduceOnly = false): OrderKey {
  const other = side === 'sell' ? 'long' : 'short'
  return {
    ...{ exchange: 'bg', family: 'bitget', market: 'futures', action: 'place' },
    ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES' },
    terms: { side, kind: 'market', ...(reduceOnly ? { asked: size } : { size }) },
    ...(reduceOnly
      ? { closes: { inOneWay: other, inHedge: other, kind: 'now', isWhole: false } }
      : {}),
  }
}

export function placed(order: OrderKey, orderId: string, filled?: string): OrderResult {
  return {
    ...{ order, became: 'working', orderId },
    ...(filled === undefined ? {} : { filled: { size: filled, isFinal: true } }),
  }
}

/** A store in memory that writes as the real ones do. */
export function memoryStore() {
  const rows = new Map<number, OwnPositionRow>()
  /** Which node is the owner, and whether what it learns is written and the response lost. */
  const state: { fence?: number; isAnswerLost?: boolean } = {}
  return {
    ...{ rows, state },
    async *read() {
      yield [...rows.values()].sort((one, other) => one.id - other.id)
    },
    async learn({ learnt, removed, sums, owner }: LearntFills) {
      if (owner !== undefined && owner.fence !== (state.fence ?? owner.fence)) return false
      const known = learnt.map(({ id, wasCounted }) => ({ id, counted: wasCounted }))
      if (![...removed, ...known].every(({ id, counted }) => rows.get(id)?.counted === counted))
        return false
      for (const { wasCounted: _, ...row } of learnt) {
        const before = rows.get(row.id)
        if (before !== undefined) rows.set(row.id, { ...before, ...row })
      }
      for (const { id } of removed) rows.delete(id)
      for (const row of sums) rows.set(row.id, row)
      if (state.isAnswerLost === true) throw new Error('The answer was lost')
      return true
    },
    /** The end of a request is written. */
    settle({ placed: added, changed }: OwnPositionChange = { placed: [], changed: [] }) {
      for (const row of added) rows.set(row.id, row)
      for (const row of changed) {
        const before = rows.get(row.id)
        if (before !== undefined) rows.set(row.id, { ...before, ...row })
      }
    },
  }
}

export function record(store = memoryStore()) {
  let nowMs = 1_000_000
  let requests = 0
  const positions = new OwnPositions(store, { now: () => nowMs }, { knownMode: () => undefined })
  const request = (exchange: 'mx' | 'bg', id = `r${++requests}`) => ({ id, clientRef: 1, exchange })
  return {
    ...{ store, positions },
    end(...results: OrderResult[]) {
      const exchange = results[0]?.order.exchange ?? 'mx'
      const to = request(exchange)
      store.settle(positions.ended(to, results, 5))
      positions.written(to.id)
    },
    change: (id: string, ...results: OrderResult[]) =>
      positions.ended(request(results[0]?.order.exchange ?? 'mx', id), results, 5),
    open(place = MX, side: PositionSide = 'long') {
      const exchange = place === MX ? 'mx' : 'bg'
      return positions.openOf(1, exchange, 5, place, side)
    },
    learnt(orderId: string, found: { filled?: string; isOpen?: boolean }) {
      const all = [...positions.toLearn(1, 'mx', 5), ...positions.toLearn(1, 'bg', 5)]
      const order = all.find((each) => each.orderId === orderId)
      if (order === undefined) throw new Error(`${orderId} is not to be learnt`)
      const { filled, isOpen = false } = found
      const size = filled === undefined ? undefined : order.filled.multipliedBy(0).plus(filled)
      if (isOpen) positions.seen(order, size, nowMs)
      else positions.finish(order, size)
      return order
    },
    merge: (exchange: 'mx' | 'bg' = 'mx') => positions.store(1, exchange, new Set(), nowMs),
    wait(ms: number) {
      nowMs += ms
    },
  }
}
