import { expect, test } from 'vitest'
import { rejectionError } from './rejection.ts'
import type { RejectionClass } from './verdict.ts'

const statuses: Record<RejectionClass, number> = {
  ...{ signature: 403, key: 403, ip: 403, permission: 403, region: 403 },
  ...{ parameter: 422, balance: 422, position: 422, size: 422, symbol: 422, 'order-form': 422 },
  ...{ leverage: 422, limit: 422, other: 422 },
  ...{ 'order-not-found': 404, 'order-state': 409, duplicate: 409, rate: 429 },
  ...{ time: 503, 'account-kind': 503, maintenance: 503 },
}

const kinds = Object.entries(statuses) as [RejectionClass, number][]
const words = { exchangeCode: '30004', exchangeMessage: 'Insufficient 100% position %s' }
const errorOf = (kind: RejectionClass, said = words) =>
  rejectionError('MEXC', { class: kind, ...said })

test.each(kinds)(
  'a rejection of the kind %s is reported with status %i, a code of its own and what to do',
  (kind, statusCode) => {
    const error = errorOf(kind)
    expect(error).toMatchObject({ statusCode, ...words })
    expect(error.code).toMatch(/^EXCHANGE_[A-Z_]+$/)
    expect(error.message).toMatch(
      /^MEXC rejected the request: Insufficient 100% position %s \(30004\)\. [A-Z].{15,}/,
    )
  },
)

test('no two kinds of rejection share a code', () => {
  const codes = kinds.map(([kind]) => errorOf(kind).code)
  expect(new Set(codes).size).toBe(codes.length)
})

test('without words the code alone is reported', () => {
  const page = { class: 'ip', exchangeCode: 'HTTP 403', exchangeMessage: '' } as const
  const error = rejectionError('Bitget', page)
  expect(error.message).toMatch(/^Bitget rejected the request: HTTP 403\. /)
})

test.each([
  ['The signature is not valid.', 'The signature is not valid (700002). '],
  ['Try later...\n', 'Try later (700002). '],
  ['Is it you?', 'Is it you? (700002). '],
  ['.', '700002. '],
])('the words %j become part of one sentence', (exchangeMessage, said) => {
  const error = errorOf('signature', { exchangeCode: '700002', exchangeMessage })
  expect(error.message).toContain(`MEXC rejected the request: ${said}The stored`)
  expect(error.exchangeMessage).toBe(exchangeMessage)
})
