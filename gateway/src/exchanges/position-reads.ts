import type { AccountKind, UpstreamCall } from './exchange.ts'
import type { PositionMode, PositionPlace, PositionSide } from './position-part.ts'

/** What an API with futures says of the positions of an account. */
export interface PositionProtocol {
  /**
   * Questions for the mode of an account with this place; each is for where those before say
   * nothing.
   * @param kind null while it is unknown
   */
  readonly modeReads: (
    place: PositionPlace,
    kind: AccountKind | null,
  ) => readonly PositionRead<PositionMode>[]
  /** The calls that change the mode, by `METHOD /path`. */
  readonly modeChanges: ReadonlySet<string>
  /** The question for an open position; absent where orders do not name positions by an id. */
  readonly positionRead?: (positionId: string) => PositionRead<NamedPosition>
}

/** A signed question. */
export interface PositionRead<T> {
  readonly call: UpstreamCall
  /** Reads the data of a good response; undefined when it does not say. */
  readonly read: (data: unknown) => T | undefined
}

/** An open position: its symbol, as the exchange writes it, and its side. */
export interface NamedPosition {
  readonly symbol: string
  readonly side: PositionSide
}
