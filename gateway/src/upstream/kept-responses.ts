import { LRUCache } from 'lru-cache'
import type { UpstreamCall, UpstreamResponse } from '../exchanges/exchange.ts'
import { readResponse } from '../exchanges/read-response.ts'
import { adapters } from '../exchanges/registry.ts'
import type { Time } from '../time.ts'
import type { Events } from './events.ts'
import type { Timings } from './request-context.ts'
import { isEncoded, type JudgedResponse } from './sign-and-send.ts'

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

/** A call that is on its way. */
interface UnderWay {
  readonly sentAtMs: number
  /** Undefined when its response is not kept. It never rejects. */
  readonly result: Promise<Kept | undefined>
}

/**
 * The responses to reads that serve later reads of the same, as long as these accept their age.
 * They are kept where the lane is. Each read says how old a response it takes; what nobody takes
 * any more leaves when there is no room.
 */
export class KeptResponses {
  readonly #time: Pick<Time, 'monotonic'>
  readonly #events: Pick<Events, 'emit'>
  readonly #underWay = new Map<string, UnderWay>()
  readonly #kept = new LRUCache<string, Kept>({
    max: RESPONSES_MAX,
    maxSize: BYTES_MAX,
    sizeCalculation: ({ response }, key) => response.body.length + key.length,
  })

  constructor(time: Pick<Time, 'monotonic'>, events: Pick<Events, 'emit'>) {
    this.#time = time
    this.#events = events
  }

  /**
   * A response that is at most this old now, or that of a call which was sent no longer ago and is
   * on its way; undefined when there is none.
   * @param maxAgeMs 0: none is looked for
   * @param timings say that a kept response was used
   */
  async find(
    key: string,
    call: UpstreamCall,
    maxAgeMs: number,
    timings: Timings,
  ): Promise<JudgedResponse | undefined> {
    if (maxAgeMs === 0) return undefined
    const found = await this.#young(key, maxAgeMs)
    const exchange = adapters.of(call.family).code
    this.#events.emit('keptLookedFor', { exchange, isFound: found !== undefined })
    if (found === undefined) return undefined
    const { response, sentAtMs } = found
    timings.shared = true
    timings.ageMs = Math.max(this.#time.monotonic() - sentAtMs, timings.ageMs ?? 0)
    return {
      response,
      // Reading a list of all symbols takes ms, and a response that is passed on needs no verdict.
      get verdict() {
        return readResponse(call, response)
      },
    }
  }

  async #young(key: string, maxAgeMs: number): Promise<Kept | undefined> {
    const isYoung = ({ sentAtMs }: Kept | UnderWay) => this.#time.monotonic() - sentAtMs <= maxAgeMs
    const kept = this.#kept.get(key)
    const underWay = this.#underWay.get(key)
    if (kept !== undefined && isYoung(kept)) return kept
    return underWay !== undefined && isYoung(underWay) ? underWay.result : undefined
  }

  /** Makes a call, which `find` finds from now on. */
  async carry(key: string, send: () => Promise<JudgedResponse>): Promise<JudgedResponse> {
    const sentAtMs = this.#time.monotonic()
    const { promise: result, resolve } = Promise.withResolvers<Kept | undefined>()
    const underWay = { sentAtMs, result }
    this.#underWay.set(key, underWay)
    let kept: Kept | undefined
    try {
      const judged = await send()
      if (isGood(judged)) kept = this.#keep(key, judged.response, sentAtMs)
      return judged
    } finally {
      if (this.#underWay.get(key) === underWay) this.#underWay.delete(key)
      resolve(kept)
    }
  }

  #keep(key: string, { status, headers, body }: UpstreamResponse, sentAtMs: number): Kept {
    const type = headers['content-type']
    // The other headers are about the one call: what it left of a limit.
    const response = { status, headers: { 'content-type': type }, body, upstreamMs: 0 }
    const kept = { response, sentAtMs }
    const known = this.#kept.get(key)
    if (known === undefined || known.sentAtMs <= sentAtMs) this.#kept.set(key, kept)
    return kept
  }
}

function isGood({ response, verdict }: JudgedResponse): boolean {
  return response.status === 200 && verdict.kind === 'ok' && !isEncoded(response)
}
