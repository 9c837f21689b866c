import { expect, test } from 'vitest'
import { NO_FILTER, toAuditQuery } from './audit-filter.ts'

test('a filter becomes what the gateway takes, and the last day counts whole', () => {
  expect(toAuditQuery(NO_FILTER)).toEqual({})
  const query = toAuditQuery({
    ...{ actor: ' ada ', action: 'client', subject: 'grid', field: 'maxDayValue' },
    ...{ from: '2026-03-05', until: '2026-03-05' },
  })
  expect(query).toEqual({
    ...{ actor: 'ada', action: 'client', subject: 'grid' },
    from: new Date(2026, 2, 5).getTime(),
    to: new Date(2026, 2, 6).getTime(),
  })
})

test.each(['', 'yesterday', '2026-3-5'])('%j is no day and narrows nothing', (from) => {
  expect(toAuditQuery({ ...NO_FILTER, from })).toEqual({})
})
