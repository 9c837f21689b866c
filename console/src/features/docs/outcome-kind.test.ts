import { expect, test } from 'vitest'
import { outcomeKindOf } from './outcome-kind.ts'

const answered = (status: number, body: unknown, isRetryOfUnknown = false) =>
  outcomeKindOf(
    {
      kind: 'response',
      tookMs: 1,
      response: {
        status,
        statusText: '',
        text: typeof body === 'string' ? body : JSON.stringify(body),
        headers: new Headers(),
      },
    },
    isRetryOfUnknown,
  )

test.each([
  [200, { success: true }, 'settled'],
  [422, { code: 'EXCHANGE_SIZE_REFUSED' }, 'settled'],
  [401, { code: 'TOKEN_EXPIRED' }, 'settled'],
  [429, { outcome: 'not-sent' }, 'failed'],
  [503, { outcome: 'not-sent' }, 'failed'],
  [503, '', 'failed'],
  [500, { code: 'INTERNAL_ERROR' }, 'unknown'],
  [504, { outcome: 'unknown' }, 'unknown'],
  [502, { outcome: 'not-done' }, 'settled'],
  [502, { success: false, code: 26, sluice: { outcome: 'not-done' } }, 'settled'],
  [502, '<html>Bad Gateway</html>', 'unknown'],
  [504, '', 'unknown'],
  [524, '', 'unknown'],
])('%i with %j is %s', (status, body, kind) => {
  expect(answered(status, body)).toBe(kind)
})

test('no response, or nobody who waits for it, leaves the outcome unknown', () => {
  expect(outcomeKindOf({ kind: 'failure', message: 'Failed to fetch' })).toBe('unknown')
  expect(outcomeKindOf({ kind: 'cancelled' })).toBe('unknown')
})

test.each([
  [401, { code: 'TOKEN_EXPIRED' }, 'unknown'],
  [429, { outcome: 'not-sent' }, 'unknown'],
  [503, { outcome: 'not-sent' }, 'unknown'],
  [502, { outcome: 'not-done' }, 'settled'],
  [200, { success: true }, 'settled'],
])(
  '%i with %j to the second attempt of an order that may stand leaves it %s',
  (status, body, kind) => {
    expect(answered(status, body, true)).toBe(kind)
  },
)
