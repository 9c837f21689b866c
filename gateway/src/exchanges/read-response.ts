import type { UpstreamCall, UpstreamResponse } from './exchange.ts'
import { parseLossless, parsePlain } from './protocol/lossless.ts'
import { unixMsOf } from './protocol/untrusted.ts'
import {
  classOfStatus,
  type ExchangeWords,
  rejected,
  rejectionOf,
  unknownOutcome,
  type Verdict,
  wordsOf,
} from './protocol/verdict.ts'
import { type Adapters, adapters } from './registry.ts'

/**
 * Tells what a response means and gives its data, for the calls that the gateway itself builds.
 * Whatever proves that nothing was done is `rejected` or `rate-limited`; everything in doubt is
 * `unknown`.
 */
export function readResponse(
  call: UpstreamCall,
  response: UpstreamResponse,
  from = adapters,
): Verdict {
  return verdictOn(call, response, parseLossless(response.body.toString('utf8')), from)
}

/** A response's verdict, and when the exchange had the call, if the response states that. */
interface ReadResponse {
  readonly verdict: Verdict
  /** The exchange's time, Unix ms. */
  readonly timeOfCallMs: number | undefined
}

/**
 * Like `readResponse`, with the time that the response states.
 * @param isRaw the verdict's data has not all digits, which is ten times as fast: for a response
 * of which nothing else is read
 */
export function readWithTime(
  call: UpstreamCall,
  response: UpstreamResponse,
  isRaw: boolean,
  from = adapters,
): ReadResponse {
  const text = response.body.toString('utf8')
  const parsed = isRaw ? parsePlain(text) : parseLossless(text)
  return {
    verdict: verdictOn(call, response, parsed, from),
    timeOfCallMs: unixMsOf(from.of(call.family).timeOfCall?.(call, parsed?.value)),
  }
}

function verdictOn(
  call: UpstreamCall,
  response: UpstreamResponse,
  parsed: { value: unknown } | undefined,
  from: Adapters,
): Verdict {
  const { status } = response
  const words = wordsOf(parsed?.value)
  if (status === 429 || status === 418 || status === 510) {
    return withRetryAfter(
      { kind: 'rate-limited', rejection: rejectionOf('rate', status, words) },
      response,
    )
  }
  // Both exchanges document that after a 5xx the order may exist.
  if (status >= 500) return unknownOutcome(`It responded with HTTP ${status}`, words)
  if (status < 200 || (status >= 300 && status < 400) || status === 408) {
    return unknownOutcome(`It responded with HTTP ${status}`, words)
  }
  // A firewall or CDN in front of the exchange responds in its own form. It may block responses
  // too, so the order may exist (docs/exchanges/mexc.md, 5 and 6).
  if (status === 403 && words.code === undefined)
    return call.method === 'GET'
      ? rejected('ip', status, words)
      : unknownOutcome(
          "A firewall responded with HTTP 403; the gateway's address may not be allowed there",
          words,
        )
  if (parsed === undefined)
    return unknownOutcome(`It responded with HTTP ${status} and a body that is not JSON`, words)
  const { codes, isOwnError, readEnvelope } = from.of(call.family)
  const isWrite = call.method !== 'GET'
  const isOwn = isOwnError(parsed.value)
  // A code that repeats the HTTP status, and is in no list, is none of the exchange.
  const isRepeated = words.code === `${status}` && !codes.classes.has(words.code)
  if (status >= 400 && (isRepeated || !isOwn))
    return isWrite
      ? foreignError(status, words)
      : rejected(classOfStatus(status), status, { ...words, code: undefined })
  const verdict = readEnvelope(call, status, parsed.value)
  // With HTTP 200 too, only the exchange itself knows that it did nothing.
  const isRefusal = verdict.kind === 'rejected' || verdict.kind === 'rate-limited'
  return isWrite && isRefusal && !isOwn
    ? foreignError(status, words)
    : withRetryAfter(verdict, response)
}

function foreignError(status: number, words: ExchangeWords): Verdict {
  const why = `It responded with HTTP ${status} and an error that is not in its own form`
  return unknownOutcome(why, words)
}

function withRetryAfter(verdict: Verdict, { headers }: UpstreamResponse): Verdict {
  if (verdict.kind !== 'rate-limited') return verdict
  const retryAfterMs = retryAfterMsOf(headers['retry-after'], headers.date)
  return retryAfterMs === undefined ? verdict : { ...verdict, retryAfterMs }
}

/**
 * `Retry-After` is seconds or a date (RFC 9110, 10.2.3); a date counts from the exchange's own
 * `Date`.
 */
function retryAfterMsOf(
  value: string | string[] | undefined,
  date: string | string[] | undefined,
): number | undefined {
  if (typeof value !== 'string') return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  if (typeof date !== 'string') return undefined
  const waitMs = Date.parse(value) - Date.parse(date)
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

/**
 * How many calls are left by the exchange's own count, as a response says; undefined when it says
 * nothing, or nothing that is a whole number below a million. For metrics only: which calls such a
 * header counts is not well documented, so the pace must not depend on it.
 */
export function remainingLimit(
  { family }: UpstreamCall,
  { headers }: Pick<UpstreamResponse, 'headers'>,
  from = adapters,
): number | undefined {
  const { remainingHeader } = from.of(family).limits
  const value = remainingHeader === undefined ? undefined : headers[remainingHeader]
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : undefined
}
