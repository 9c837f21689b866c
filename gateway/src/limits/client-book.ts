import { DaySum, MinuteCount } from './rolling.ts'

/** What a client has used of its limits. */
export class ClientBook {
  readonly day = new DaySum()
  readonly minute = new MinuteCount()
  /** Orders that are admitted, not sent yet, and may become working orders. */
  opening = 0
}

/** What an admitted order takes of its client's limits until it ends. */
export interface Reservation {
  readonly clientRef: number
  /** The minute in whose sum the value is. */
  readonly minute: number
  /** Millionths of a USDT; 0 when it is not known. */
  valueMicros: number
  /** Whether that is what all of its orders are worth. */
  isValued: boolean
  /** How many working orders it may add that are not counted there yet. */
  opening: number
  /** Ends the refreshing of the prices that it needs. */
  readonly release: () => void
}
