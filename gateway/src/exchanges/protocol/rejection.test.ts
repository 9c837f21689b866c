import { expect, test } from 'vitest'
import { rejectionError } from './rejection.ts'
import type { RejectionClass } from './verdict.ts'

const statuses: Record<RejectionClass, number> = {
  signature: 403,
  time: 503,
  key: 403,
  ip: 403,
  permission: 403,
  region: 403,
  parameter: 422,
  balance: 422,
  position: 422,
  size: 422,
  symbol: 422,
  'account-kind': 503,
  'order-form': 422,
  leverage: 422,
  limit: 422,
  'order-not-found': 404,
  'order-state': 409,
  duplicate: 409,
  rate: 429,
  maintenance: 503,
  other: 422,
}

test.each(Object.entries(statuses) as [RejectionClass, number][])(
  'a rejection of the kind %s is reported with status %i, a code of its own and what to do',
  (rejectionClass, statusCode) => {
    const error = rejectionError('MEXC', {
      class: rejectionClass,
      exchangeCode: '30004',
      exchangeMessage: 'Insufficient 100% position %s',
    })
    expect(error).toMatchObject({
      statusCode,
      exchangeCode: '30004',
      exchangeMessage: 'Insufficient 100% position %s',
    })
    expect(error.code).toMatch(/^EXCHANGE_[A-Z_]+$/)
    expect(error.message).toMatch(
      /^MEXC rejected the request: Insufficient 100% position %s \(30004\)\. [A-Z].{15,}/,
    )
  },
)

test('no two kinds of rejection share a code', () => {
  const codes = Object.keys(statuses).map(
    (name) =>
      rejectionError('MEXC', {
        class: name as RejectionClass,
        exchangeCode: '1',
        exchangeMessage: '',
      }).code,
  )
  expect(new Set(codes).size).toBe(codes.length)
})

test('without words the code alone is reported', () => {
  const error = rejectionError('Bitget', {
    class: 'ip',
    exchangeCode: 'HTTP 403',
    exchangeMessage: '',
  })
  expect(error.message).toMatch(/^Bitget rejected the request: HTTP 403\. /)
})

test.each([
  [
    'Signature for this request is not valid.',
    'Signature for this request is not valid (700002). ',
  ],
  ['Try later...\n', 'Try later (700002). '],
  ['Is it you?', 'Is it you? (700002). '],
  ['.', '700002. '],
])('the words %j become part of one sentence', (exchangeMessage, said) => {
  const rejection = { class: 'signature', exchangeCode: '700002', exchangeMessage } as const
  const error = rejectionError('MEXC', rejection)
  expect(error.message).toContain(`MEXC rejected the request: ${said}The stored`)
  expect(error.exchangeMessage).toBe(exchangeMessage)
})
