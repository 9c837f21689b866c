import { OwnPositions } from '../../src/orders/own-positions.ts'
import type { OwnPositionRow } from '../../src/store/own-position-store.ts'

type Columns = Readonly<Record<string, unknown>>

/**
 * What a new process reads from the rows of `own_position_orders`.
 * @param rows as the database gives them
 */
export async function recordIn(rows: readonly Columns[], nowMs = Date.now()) {
  const stored = rows.map(toRow)
  const record = new OwnPositions(
    {
      async *read() {
        yield stored
      },
      learn: () => Promise.reject(new Error('It only reads')),
    },
    { now: () => nowMs },
    { knownMode: () => undefined },
  )
  await record.load()
  const [keys] = stored
  return {
    rows: stored,
    /** Of the first client: what it has open, in its only account at the exchange. */
    openOf(exchange: 'mx' | 'bg', place: string, side: 'long' | 'short' = 'long') {
      const own = stored.find((row) => row.exchange === exchange) ?? keys
      return own === undefined
        ? { open: '0', isCertain: true }
        : record.openOf(own.clientRef, exchange, own.keysRef, place, side)
    },
  }
}

function toRow(columns: Columns): OwnPositionRow {
  const entries = Object.entries(columns).map(([name, value]) => {
    const key = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const isFlag = key === 'hasAttachedExit' || /^is[A-Z]/.test(key)
    const isNumber = ['id', 'clientRef', 'keysRef', 'placedAtMs'].includes(key)
    return [key, isFlag ? Boolean(value) : isNumber ? Number(value) : value]
  })
  return Object.fromEntries(entries)
}
