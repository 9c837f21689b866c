import type { Family, UpstreamAnswer, UpstreamCall } from '../exchanges/exchange.ts'
import { readAnswer } from '../exchanges/protocol/read-response.ts'
import { isRecord, textOf } from '../exchanges/protocol/untrusted.ts'

/**
 * The exchange's clock is measured again after this time: clocks of virtual machines drift seconds
 * in a day.
 */
const MEASURE_AFTER_MS = 5 * 60_000

export interface ExchangeClock {
  /** The exchange's time, whole Unix ms. Our own until it is first measured. */
  nowMs(): number
  /**
   * Takes over a measurement; the times are those of the monotonic clock at sending and at the
   * answer.
   */
  learn(serverTimeMs: number, sentAtMonotonicMs: number, receivedAtMonotonicMs: number): void
  /** How far the exchange is ahead of this machine's wall clock, whole ms. */
  offsetMs(): number
  /** Never measured, measured more than 5 minutes ago, or told to be stale. */
  needsMeasure(): boolean
  /** To be called when the exchange refused a request for its time. */
  markStale(): void
}

/**
 * Follows an exchange's clock from the monotonic clock, so that a step of this machine's wall clock
 * changes no timestamp.
 */
export function createExchangeClock({
  monotonicMs,
  wallMs,
}: {
  monotonicMs: () => number
  wallMs: () => number
}): ExchangeClock {
  let anchor = { exchangeMs: wallMs(), monotonicMs: monotonicMs() }
  let isStale = true

  const nowMs = () => Math.round(anchor.exchangeMs + monotonicMs() - anchor.monotonicMs)
  return {
    nowMs,
    learn(serverTimeMs, sentAtMonotonicMs, receivedAtMonotonicMs) {
      // The exchange read its clock somewhere between the two; the middle is wrong by half of the
      // way at most.
      anchor = {
        exchangeMs: serverTimeMs,
        monotonicMs: (sentAtMonotonicMs + receivedAtMonotonicMs) / 2,
      }
      isStale = false
    },
    offsetMs: () => nowMs() - Math.round(wallMs()),
    needsMeasure: () => isStale || monotonicMs() - anchor.monotonicMs > MEASURE_AFTER_MS,
    markStale() {
      isStale = true
    },
  }
}

/** The public call that tells a family's time. */
export function timeCall(family: Family): UpstreamCall {
  const path = {
    'mexc-spot': '/api/v3/time',
    'mexc-futures': '/api/v1/contract/ping',
    bitget: '/api/v2/public/time',
  }[family]
  return { family, method: 'GET', path, query: '', body: null, signed: false }
}

/**
 * The time in the answer to `timeCall`, Unix ms; undefined when there is none that can be true
 * (years 2020 to 2100).
 */
export function readTime(family: Family, answer: UpstreamAnswer): number | undefined {
  const verdict = readAnswer(timeCall(family), answer)
  if (verdict.kind !== 'ok') return undefined
  const value = isRecord(verdict.data) ? verdict.data.serverTime : verdict.data
  const timeMs = Number(textOf(value) ?? Number.NaN)
  return timeMs > 1_577_836_800_000 && timeMs < 4_102_444_800_000 ? timeMs : undefined
}

/** What the exchange would answer to `timeCall` at this moment, in its own envelope. @param nowMs exchange time */
export function timeAnswer(family: Family, nowMs: number): object {
  switch (family) {
    case 'mexc-spot':
      return { serverTime: nowMs }
    case 'mexc-futures':
      return { success: true, code: 0, data: nowMs }
    case 'bitget':
      return {
        code: '00000',
        msg: 'success',
        requestTime: nowMs,
        data: { serverTime: `${nowMs}` },
      }
  }
}
