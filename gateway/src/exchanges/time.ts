import type { Family, UpstreamCall, UpstreamResponse } from './exchange.ts'
import { unixMsOf } from './protocol/untrusted.ts'
import { readResponse } from './read-response.ts'
import { adapters } from './registry.ts'

/** How an API tells its time. */
export interface TimeProtocol {
  /** The public reads that tell it, all in one form; the first is the one that the gateway asks. */
  readonly paths: readonly [string, ...string[]]
  /** Unix ms, as a number or a text, in the data of a good response. */
  readonly read: (data: unknown) => unknown
  /** The response to these reads at this moment. @param nowMs exchange time */
  readonly response: (nowMs: number) => object
}

/** The public call that tells a family's time. */
export function timeCall(family: Family, from = adapters): UpstreamCall {
  const [path] = from.of(family).time.paths
  return { family, method: 'GET', path, query: '', body: null, signed: false }
}

/** Whether a call asks for nothing but the time. */
export function isTimeCall({ family, method, path }: UpstreamCall, from = adapters): boolean {
  return method === 'GET' && from.of(family).time.paths.includes(path)
}

/**
 * What the exchange would respond to a call for its time at this moment, in its own envelope.
 * @param nowMs exchange time
 */
export function timeResponse(family: Family, nowMs: number, from = adapters): object {
  return from.of(family).time.response(nowMs)
}

/** The time in the response to `timeCall`, Unix ms; undefined when there is none. */
export function readTime(
  family: Family,
  response: UpstreamResponse,
  from = adapters,
): number | undefined {
  const verdict = readResponse(timeCall(family, from), response, from)
  if (verdict.kind !== 'ok') return undefined
  return unixMsOf(from.of(family).time.read(verdict.data))
}
