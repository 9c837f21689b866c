import { trace } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { readTraceparent } from './tracing.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const parentOf = (header: unknown, state?: unknown) =>
  trace.getSpanContext(readTraceparent(header, state))

test("a caller's span is the parent, sampled as the caller says", () => {
  expect(parentOf(`00-${TRACE}-${SPAN}-01`)).toMatchObject({
    ...{ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true },
  })
  expect(parentOf(`00-${TRACE}-${SPAN}-00`)?.traceFlags).toBe(0)
  expect(parentOf(`00-${TRACE}-${SPAN}-01`, 'vendor=x')?.traceState?.serialize()).toBe('vendor=x')
})

test('a version that is not known yet is read as far as it is known', () => {
  expect(parentOf(`01-${TRACE}-${SPAN}-01-more`)?.spanId).toBe(SPAN)
})

test.each([
  undefined,
  '',
  'rubbish',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
])('a header that is none begins a trace of its own: %s', (header) => {
  expect(parentOf(header)).toBeUndefined()
})
