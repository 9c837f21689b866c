import { expect, test } from 'vitest'
import { CallerGoneError, isNotSent, notSent, QueueFullError, whyLookUpFailed } from './errors.ts'

test('an error of the queue says that the request was not sent, in words and as a property', () => {
  const error = notSent(new QueueFullError('MEXC', 1000), 1200)
  expect(error.message).toBe('The queue for MEXC is full (1000 requests); the request was not sent')
  expect(error).toMatchObject({
    ...{ code: 'QUEUE_FULL', statusCode: 503, sent: false, retryAfterSeconds: 2 },
  })
  expect(isNotSent(error)).toBe(true)
})

test('an error without a time to come back has none', () => {
  expect(notSent(new CallerGoneError())).not.toHaveProperty('retryAfterSeconds')
})

test.each([new Error('reset by peer'), { sent: false }, undefined])(
  'what does not say so is not taken as not sent',
  (error) => {
    expect(isNotSent(error)).toBe(false)
  },
)

// On the page of an order that may exist, "the request was not sent" reads as if it did not.
test('a look-up that was not sent does not say that the order was not sent', () => {
  expect(whyLookUpFailed(notSent(new QueueFullError('MEXC', 1000)))).toBe(
    'The queue for MEXC is full (1000 requests); the look-up was not sent',
  )
})
