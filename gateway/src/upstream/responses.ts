import { LRUCache } from 'lru-cache'
import type { UpstreamCall, UpstreamResponse } from '../exchanges/exchange.ts'
import { codeOf, isRecord } from '../exchanges/protocol/untrusted.ts'
import { readResponse } from '../exchanges/read-response.ts'
import { adapters } from '../exchanges/registry.ts'
import type { Time } from '../time.ts'
import type { Events } from './events.ts'
import type { Timings } from './request-context.ts'
import type { JudgedResponse } from './sign-and-send.ts'

/** A response that is stored and sent again, byte for byte. */
export interface StoredResponse {
  readonly statusCode: number
  readonly contentType: string
  readonly body: string
  /** The exchange's headers that the caller gets. They are not stored, so a replay has none. */
  readonly headers?: Readonly<Record<string, string>>
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export function jsonResponse(statusCode: number, body: unknown): StoredResponse {
  return { statusCode, contentType: JSON_TYPE, body: JSON.stringify(body) }
}

/**
 * The exchange's headers that a caller gets besides the content type: they are about the exchange's
 * own limits.
 */
export const PASSED_HEADERS: readonly string[] = [
  'retry-after',
  ...adapters.all.flatMap(({ limits }) => limits.remainingHeader ?? []),
]

export function passedHeaders({ headers }: UpstreamResponse): Record<string, string> {
  return Object.fromEntries(
    PASSED_HEADERS.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/** An exchange's response, to be sent unchanged. */
export function toStoredResponse(response: UpstreamResponse): StoredResponse {
  const type = response.headers['content-type']
  return {
    statusCode: response.status,
    contentType: typeof type === 'string' ? type : JSON_TYPE,
    body: response.body.toString(),
    headers: passedHeaders(response),
  }
}

/**
 * All responses together; the least recently used is dropped first. None is longer than 8 MB
 * (`create-upstreams.ts`).
 */
const BYTES_MAX = 64 * 1024 * 1024
const RESPONSES_MAX = 2_000

interface Kept {
  readonly response: UpstreamResponse
  /** When its call was about to be sent, on the monotonic clock: it is not older than that. */
  readonly sentAtMs: number
}

/**
 * The responses to reads that serve later reads of the same, as long as these accept their age.
 * They are kept where the lane is. Each read says how old a response it takes; what nobody takes
 * any more leaves when there is no room.
 */
export class KeptResponses {
  readonly #time: Pick<Time, 'monotonic'>
  readonly #events: Pick<Events, 'emit'>
  readonly #kept = new LRUCache<string, Kept>({
    max: RESPONSES_MAX,
    maxSize: BYTES_MAX,
    sizeCalculation: ({ response }, key) => response.body.length + key.length,
  })

  constructor(time: Pick<Time, 'monotonic'>, events: Pick<Events, 'emit'>) {
    this.#time = time
    this.#events = events
  }

  /** A response that is younger than this now; undefined when there is none. */
  find(key: string, maxAgeMs: number): Kept | undefined {
    const kept = this.#kept.get(key)
    return kept !== undefined && this.#ageMs(kept) < maxAgeMs ? kept : undefined
  }

  /** Serves a read with a response that was found. Its timings say so. */
  use(kept: Kept, call: UpstreamCall, timings: Timings): JudgedResponse {
    const { response } = kept
    this.#report(call, true)
    timings.shared = true
    timings.ageMs = Math.max(this.#ageMs(kept), timings.ageMs ?? 0)
    return {
      response,
      // Reading a list of all symbols takes ms, and a response that is passed on needs no verdict.
      get verdict() {
        return readResponse(call, response)
      },
    }
  }

  /** Makes a call, and keeps its response if it surely is what was asked for. */
  async carry(
    key: string,
    call: UpstreamCall,
    send: () => Promise<JudgedResponse>,
  ): Promise<JudgedResponse> {
    this.#report(call, false)
    const sentAtMs = this.#time.monotonic()
    const judged = await send()
    const { response, verdict } = judged
    const isSure = verdict.kind === 'ok' && (call.family === 'bitget' || hasContent(verdict.data))
    if (response.status === 200 && isSure) this.#keep(key, response, sentAtMs)
    return judged
  }

  #keep(key: string, { status, headers, body }: UpstreamResponse, sentAtMs: number): void {
    const known = this.#kept.get(key)
    if (known !== undefined && known.sentAtMs > sentAtMs) return
    const type = headers['content-type']
    // The other headers are about the one call: what it left of a limit.
    const response = { status, headers: { 'content-type': type }, body, upstreamMs: 0 }
    this.#kept.set(key, { response, sentAtMs })
  }

  #ageMs({ sentAtMs }: Kept): number {
    return this.#time.monotonic() - sentAtMs
  }

  #report({ family }: UpstreamCall, isFound: boolean): void {
    this.#events.emit('keptLookedFor', { exchange: adapters.of(family).code, isFound })
  }
}

/** Why a read leaves the queue without a slot: it is served. */
export class KeptInTimeError extends Error {
  readonly kept: Kept

  constructor(kept: Kept) {
    super('A kept response serves it')
    this.kept = kept
  }
}

/** Fields of errors that are not the exchange's own form, such as those of a gateway before it. */
const REFUSING = ['error', 'errors', 'status', 'retCode']
const GOOD: ReadonlySet<string | undefined> = new Set([undefined, '0', '200'])

/**
 * Whether data is more than a refusal or an empty list, which an exchange in trouble sends with
 * HTTP 200. Those of MEXC have many forms, and its data has an envelope or none. Bitget states a
 * code in every response.
 */
function hasContent(data: unknown): boolean {
  if (Array.isArray(data)) return data.length > 0
  if (!isRecord(data) || REFUSING.some((name) => name in data)) return false
  if (['code', 'success', 'msg', 'message'].some((name) => name in data))
    return data.success !== false && GOOD.has(codeOf(data.code)) && hasContent(data.data)
  const lists = Object.values(data).filter(Array.isArray)
  return lists.length === 0 ? Object.keys(data).length > 0 : lists.some(({ length }) => length > 0)
}
