import type { NewPaperAccount } from './account.ts'
import type { Market } from './market.ts'
import type { PriceWalk } from './prices.ts'
import type { VenueHabits } from './venue.ts'

export interface PaperExchangeOptions {
  /** `127.0.0.1` when absent. */
  readonly host?: string | undefined
  /** 0, a free one, when absent. */
  readonly port?: number | undefined
  readonly accounts?: readonly NewPaperAccount[] | undefined
  /** The usual pairs of both exchanges when absent. */
  readonly markets?: readonly Market[] | undefined
  /** Absent: prices do not move until they are set. */
  readonly walk?: PriceWalk | undefined
  /** How often the exchange ticks by itself, ms; 0, never, when absent. */
  readonly tickEveryMs?: number | undefined
  /** Wall clock of the exchange; the true one when absent. */
  readonly nowMs?: (() => number) | undefined
  readonly monotonicMs?: (() => number) | undefined
  /**
   * Is shown every request whole, with what is secret in it: to look for what must not arrive. What
   * the exchange keeps and shows of a request (`received`) holds no secret.
   */
  readonly witness?: ((text: string) => void) | undefined
  readonly habits?: Partial<VenueHabits> | undefined
}
