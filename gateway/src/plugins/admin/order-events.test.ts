import { expect, test } from 'vitest'
import type { JournalRow } from '../../store/journal-store.ts'
import type { LogRow } from '../../store/log-store.ts'
import { eventsOf } from './order-events.ts'

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
