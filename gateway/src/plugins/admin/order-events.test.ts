import { expect, test } from 'vitest'
import type { JournalRow } from '../../store/journal-store.ts'
import type { LogRow } from '../../store/log-store.ts'
import { eventsOf, refusalOf } from './order-events.ts'

test.each([
  ['after the outcome that it has, though its clock is 1 ms behind', 40, ['settled', 'responded']],
  ['before an outcome that was found later', 20, ['responded', 'settled']],
])('a response is %s', (_name, responseMs, order) => {
  const row = { createdAtMs: 1_000, settledAtMs: 1_041, state: 'resolved' } as JournalRow
  const logRow = { atMs: 1_000, responseMs, statusCode: 200, code: null } as LogRow
  const events = eventsOf({
    row: { ...row, events: '', sentAtMs: null, statusCode: null, body: null },
    ...{ unwritten: [], logRow, related: [] },
  })
  expect(events.map(({ type }) => type)).toEqual(['received', ...order])
})

const own = {
  code: 'ORDER_INVALID',
  requestId: 'r',
  message: 'The order is not valid',
  retryable: false,
}
const fields = [{ field: 'quantity', message: '0.001 BTC is less than the smallest size, 0.01' }]
const full = {
  code: 'EXCHANGE_BALANCE_REFUSED',
  exchangeCode: '30004',
  exchangeMessage: 'Too little',
}
const busy = { code: 510, msg: 'Too frequent' }

test.each([
  ['the gateway', 'dropped', { ...own, fields }, `gateway: quantity ${fields[0]?.message}`, false],
  [
    'the gateway for a time',
    'dropped',
    { ...own, retryable: true },
    `gateway: ${own.message}`,
    true,
  ],
  ['the exchange', 'refused', { ...own, ...full }, 'exchange: Too little', false],
  ['the exchange in its own words', 'dropped', busy, 'exchange: Too frequent', true],
] as const)('an order that is refused by %s says so', (_who, state, body, words, isTemporary) => {
  const refusal = refusalOf({ state, body: JSON.stringify(body) } as JournalRow)
  expect(refusal).toMatchObject({ isTemporary })
  expect(`${refusal?.by}: ${refusal?.message}`).toBe(words)
})

test('an order that was carried out has no refusal', () => {
  expect(refusalOf({ state: 'answered', body: JSON.stringify(own) } as JournalRow)).toBeNull()
})
