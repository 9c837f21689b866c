import { expect } from 'vitest'
import { effectsOf } from './call-effects.ts'
import type { UpstreamCall } from './exchange.ts'
import { type OrderKey, ordersOf } from './order-lookup/order-key.ts'
import { readOrderKey } from './order-lookup/test-order-keys.ts'
import type { PositionPart } from './position-part.ts'
import { adapters } from './registry.ts'

/** The rows of a table that has them below the call that they are about. */
export const rowsOf = <Row extends readonly unknown[]>(table: Record<string, readonly Row[]>) =>
  Object.entries(table).flatMap(([line, rows]) => rows.map((row) => [line, ...row] as const))

/** An order of BTCUSDT that says nothing of its own side, size and price, and `more`. */
export const orderEffect = (more: object) => ({
  ...{ kind: 'order', market: 'spot', symbol: 'BTCUSDT', rests: true, reduces: false },
  ...{ side: undefined, size: undefined, price: undefined, ...more },
})

/**
 * The call that a line of a policy allows, with these fields where its family has them: MEXC spot
 * in the query, the others in a JSON body.
 */
export function callOf(line: string, fields: unknown): UpstreamCall {
  const [method = '', path = ''] = line.split(' ')
  const adapter = adapters.all.find(
    ({ botCalls, calls }) => botCalls.ownsPath(path) && calls.kinds.has(line),
  )
  if (adapter === undefined) throw new TypeError(`No policy has ${line}`)
  const isQuery = adapter.family === 'mexc-spot'
  return {
    ...{ family: adapter.family, path, signed: true },
    method: method === 'DELETE' || method === 'GET' ? method : 'POST',
    query: isQuery ? `${new URLSearchParams(Object.entries(fields ?? {}))}` : '',
    body: isQuery || method === 'GET' ? null : JSON.stringify(fields),
  }
}

/** The call has this one effect, in the fields that are given. */
export function expectEffect(line: string, fields: unknown, effect: object): void {
  expect(effectsOf(callOf(line, fields))).toEqual([expect.objectContaining(effect)])
}

/** The call, or the first of its orders, is `unbounded`. */
export function expectUnbounded(call: UpstreamCall): void {
  expect(effectsOf(call)[0], `${call.query} ${call.body}`).toEqual({
    kind: 'unbounded',
    why: expect.any(String),
  })
}

/** The keys as the journal gives them back. */
export function storedKeys(call: UpstreamCall): readonly OrderKey[] {
  const key = readOrderKey(call)
  return key === undefined ? [] : ordersOf(JSON.parse(JSON.stringify(key)))
}

/** `close long 3 now`. */
export function wordsOf(part: PositionPart | undefined): string {
  if (part === undefined) return 'none'
  const { does, side, size = 'all', exitKind, isNetting, isEitherSide } = part
  const more = [exitKind, isNetting && 'netting', isEitherSide && 'either side'].filter(Boolean)
  return [does, side, size, ...more].join(' ')
}
