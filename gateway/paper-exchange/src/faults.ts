import type { ExchangeCode } from './market.ts'
import { isPathLike } from './received.ts'

export const FAULT_KINDS = [
  'slow',
  'reset-before',
  'reset-after',
  'timeout-before',
  'timeout-after',
  '429',
  '418',
  '510',
  '5xx',
  'html',
  'cdn',
  'truncated',
  'garbage',
  'empty',
  'oversized',
  'wrong-clock',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

/** Which requests a fault applies to: those that match every given field. */
export interface FaultMatch {
  readonly exchange?: ExchangeCode | undefined
  readonly method?: string | undefined
  /** Exact, or with a star at its end. */
  readonly path?: string | undefined
  /** The name of the account whose key the request carries; a public call has none. */
  readonly account?: string | null | undefined
}

export interface Fault {
  readonly kind: FaultKind
  readonly match?: FaultMatch | undefined
  /**
   * How many requests it applies to; 1 when absent (a wrong clock: until cleared), 0 until cleared.
   */
  readonly times?: number | undefined
  /** `slow`: how long the response is delayed, ms; 1,000 when absent. */
  readonly delayMs?: number | undefined
  /** `429`, `418`: the header Retry-After; left out when absent. */
  readonly retryAfterSeconds?: number | undefined
  /** `5xx`: 500 when absent. `html`: 502 when absent. `cdn`: 451 when absent. */
  readonly status?: number | undefined
  /**
   * Whether the exchange takes the request in before it fails. Before: nothing happened. After: an
   * order exists. `slow`, `truncated`, `garbage`, `empty`, `oversized` come after when absent,
   * `5xx`, `html`, `cdn`, `429` and `418` before.
   */
  readonly when?: 'before' | 'after' | undefined
  /** `wrong-clock`: what is added to the true time, ms, may be negative. */
  readonly offsetMs?: number | undefined
  /** `oversized`: size of the response; 64 MiB when absent. */
  readonly bytes?: number | undefined
}

interface ArmedFault {
  readonly fault: Fault
  /** Null: until cleared. */
  left: number | null
}

/** The misbehaviour that was asked for, used up in the order in which it was added. */
export class Faults {
  #armed: ArmedFault[] = []

  add(fault: Fault): void {
    const times = fault.times ?? (fault.kind === 'wrong-clock' ? 0 : 1)
    this.#armed.push({ fault, left: times === 0 ? null : times })
  }

  clear(): void {
    this.#armed = []
  }

  list(): readonly Fault[] {
    return this.#armed.map(({ fault, left }) => ({ ...fault, times: left ?? 0 }))
  }

  /**
   * The fault that applies to this request, except a wrong clock; null when the exchange behaves.
   */
  take(request: Required<FaultMatch>): Fault | null {
    return this.#use((fault) => fault.kind !== 'wrong-clock' && isHit(fault, request))
  }

  /** What the exchange's clock is wrong by for this request, ms. */
  takeClockOffsetMs(request: Required<FaultMatch>): number {
    const fault = this.#use(
      (candidate) => candidate.kind === 'wrong-clock' && isHit(candidate, request),
    )
    return fault?.offsetMs ?? 0
  }

  #use(isWanted: (fault: Fault) => boolean): Fault | null {
    const armed = this.#armed.find(({ fault }) => isWanted(fault))
    if (armed === undefined) return null
    if (armed.left !== null) armed.left -= 1
    if (armed.left === 0) this.#armed = this.#armed.filter((other) => other !== armed)
    return armed.fault
  }
}

function isHit({ match = {} }: Fault, request: Required<FaultMatch>): boolean {
  const { exchange, method, path, account } = match
  return (
    (exchange === undefined || exchange === request.exchange) &&
    (method === undefined || method.toUpperCase() === request.method) &&
    (account === undefined || account === request.account) &&
    (path === undefined || isPathLike(request.path ?? '', path))
  )
}
