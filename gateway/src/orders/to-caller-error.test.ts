import { expect, test } from 'vitest'
import { toErrorBody } from '../http/errors.ts'
import { NotOwnerError } from '../store/errors.ts'
import { toCallerError } from './failed-orders.ts'
import type { OrderProgress } from './order-state.ts'

test('an order whose exchange another node took over was not sent, and may be sent again', () => {
  const queued = { state: { name: 'queued' } } as OrderProgress
  const error = toCallerError(new NotOwnerError(), queued, 'MEXC', undefined)
  expect(toErrorBody(error as Error, 'r')).toMatchObject({
    ...{ statusCode: 503, code: 'NOT_OWNER', outcome: 'not-sent', retryable: true },
  })
})
