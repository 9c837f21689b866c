import { expect, test } from 'vitest'
import { eachExchange } from '../exchanges/exchange.ts'
import { LostOrders } from './lost-orders.ts'

// What it finds: gateway/test/restored-orders.test.ts and restored-postgres.test.ts.

const START = 1_800_000_000_000
const MINUTE_MS = 60_000

// A gateway on the server that was replaced may sign for its lease of 4 s, and the exchanges take
// that for 30 s: an order of the last moment was taken for absent after a minute.
test.each([
  ['a file was restored at the start', START, MINUTE_MS],
  ['a file was restored a while before', START - 20_000, MINUTE_MS - 20_000],
  ['a server was restored', START + 34_000, 34_000 + MINUTE_MS],
  ['the clock was put back since', START + 3_600_000, 34_000 + MINUTE_MS],
])('%s: every order that was sent before shows a minute later', (_, restoredAtMs, afterMs) => {
  let nowMs = START
  const lookUp = () => Promise.reject(new Error('not used'))
  const lost = new LostOrders({
    journal: { belongsToEarlierRequest: lookUp },
    upstreams: eachExchange(() => ({
      ...{ name: 'X', lookUp, accountRefOf: lookUp, accountKindOf: lookUp },
    })),
    clocks: eachExchange(() => ({ nowMs: () => nowMs })),
    nowMs: () => nowMs,
  })
  lost.start({ sinceMs: 0, restoredAtMs })
  nowMs = START + afterMs - 1
  expect(lost.areVisible).toBe(false)
  nowMs += 1
  expect(lost.areVisible).toBe(true)
})
