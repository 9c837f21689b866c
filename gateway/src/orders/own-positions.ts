import type { ExchangeCode } from 'schema'
import type { OrderIds } from '../exchanges/call-effect.ts'
import type { ExitKind, PositionSide } from '../exchanges/position-part.ts'
import type { JobClass } from '../lane/job.ts'

/** How much of a position a client itself opened and has not closed. */
export interface OpenQuantity {
  /**
   * Decimal, never below 0: what its entries were filled with, less what its exits were filled
   * with. An entry whose fill is not known opens nothing yet. An exit whose fill is not known has
   * taken all that it asked for: it is in no `resting` then.
   */
  readonly open: string
  /** Decimal: what the exits of each kind that were found open may still take. */
  readonly resting: Readonly<Record<ExitKind, string>>
  /** False while the fill of one of its orders may be another one: `learn` asks the exchange. */
  readonly isCertain: boolean
}

/** The record of what clients opened and have not closed, as limits use it. */
export interface OwnQuantities {
  /**
   * @param keysId the row of the keys, which stands for the account
   * @param place by `placeNameOf`
   * @param without orders with these ids count with what they were filled with, as if they were
   * cancelled: for a change of them
   */
  openOf(
    clientRef: number,
    exchange: ExchangeCode,
    keysId: number,
    place: string,
    side: PositionSide,
    without?: OrderIds,
  ): OpenQuantity

  /** Whether a client has an open quantity in a place, of either side. `perhaps`: not certain. */
  hasOpen(clientRef: number, exchange: ExchangeCode, place: string): boolean | 'perhaps'

  /**
   * Asks the exchange for the fills that are not known, with the keys that are stored now.
   * @param place only those of this place
   * @throws the errors of the lane and the transport, StoreUnwritableError
   */
  learn(
    clientRef: number,
    exchange: ExchangeCode,
    jobClass: Extract<JobClass, 'lookup' | 'market'>,
    place?: string,
  ): Promise<void>
}
