import type { Market } from './exchange.ts'
import type { OrderKey } from './order-lookup/order-key.ts'
import { lowerAscii, upperAscii } from './protocol/untrusted.ts'

export const POSITION_SIDES = ['long', 'short'] as const
/** Spot coins count as a long position. */
export type PositionSide = (typeof POSITION_SIDES)[number]

/** Whether an account has one futures position a symbol, or a long and a short one. */
export type PositionMode = 'oneWay' | 'hedge'

export const EXIT_KINDS = ['now', 'stop', 'profit'] as const
/**
 * When an order closes: as soon as it can, when the price has turned against the position, or when
 * it has come to a profit.
 */
export type ExitKind = (typeof EXIT_KINDS)[number]

/** What an order that can only close takes, as far as its call says. */
export interface Closing {
  /**
   * The side that it closes where the account has one position a symbol. Undefined: it may open; of
   * one that `isWhole`, both sides, or the call does not name it.
   */
  readonly inOneWay: PositionSide | undefined
  /** The same where the account has a long and a short one. */
  readonly inHedge: PositionSide | undefined
  readonly kind: ExitKind
  /** It closes all that there is, also what others opened. */
  readonly isWhole: boolean
  /**
   * MEXC futures: the position that the call names by its id. Where it names no symbol, symbol and
   * side are those of the position.
   */
  readonly positionId?: string | undefined
}

/** Where a position is; the same for all orders of a symbol in one account. */
export interface PositionPlace {
  readonly market: Market
  /** In capital letters. */
  readonly symbol: string
  /** Bitget futures: `USDT-FUTURES`, on a classic and on a unified account. */
  readonly productType?: string | undefined
  readonly demo?: boolean | undefined
}

/** What one order does to a position when it is filled. */
export interface PositionPart {
  readonly place: PositionPlace
  readonly side: PositionSide
  readonly does: 'open' | 'close'
  /** Absent of one that opens. */
  readonly exitKind?: ExitKind
  /** Decimal, in what the exchange counts (`OrderEffect.size`); undefined: not said, or for all. */
  readonly size: string | undefined
  /**
   * Of one that opens: its account has one position a symbol, so that it first closes what is open
   * on the other side. Absent: the account has two, or the key does not show it.
   */
  readonly isNetting?: boolean
  /**
   * Of one that closes: `side` is that of an account with two positions a symbol, with one it would
   * be the other side, and the mode is not known: it may take from either.
   */
  readonly isEitherSide?: boolean
  /** Of one that opens: a take profit or stop loss hangs on it, which may close what it opened. */
  readonly hasAttachedExit?: boolean
}

/** Undefined where nothing shows that the order can only close. */
export function closingOf(closes: Partial<Closing>): Closing | undefined {
  const { inOneWay, inHedge, kind = 'now', isWhole = false, positionId } = closes
  if (inOneWay === undefined && inHedge === undefined && positionId === undefined && !isWhole)
    return undefined
  return { inOneWay, inHedge, kind, isWhole, ...(positionId === undefined ? {} : { positionId }) }
}

/** The same of an order that closes one side in either mode. */
export function closingOfSide(
  side: PositionSide | undefined,
  closes: Omit<Partial<Closing>, 'inOneWay' | 'inHedge'> = {},
): Closing | undefined {
  return closingOf({ ...closes, inOneWay: side, inHedge: side })
}

/** What a spot order closes: a sale the coins that were bought. @param side in any case */
export function spotClosing(side: string | undefined, kind: ExitKind = 'now'): Closing | undefined {
  return lowerAscii(side) === 'sell' ? closingOfSide('long', { kind }) : undefined
}

/** The side that an order closes by trading `side` against it. @param side in small letters */
export function sideClosedBy(side: string | undefined): PositionSide | undefined {
  return side === 'sell' ? 'long' : side === 'buy' ? 'short' : undefined
}

/**
 * What an order does to a position when it is filled, as far as its key says; undefined for a
 * cancel, for a change that leaves the side to the order that it changes, and where the key does
 * not name the position. While the mode is not known, an order that opens in one mode and closes
 * in the other counts as a close, and one whose side depends on the mode takes from both sides.
 * @param mode of the account, where it is known
 */
export function partOf(key: OrderKey, mode?: PositionMode): PositionPart | undefined {
  if (key.action === 'cancel' || key.orders !== undefined) return undefined
  const place = positionPlaceOf(key)
  const direction = directionOf(key, mode)
  if (place === undefined || direction === undefined) return undefined
  const { terms, closes } = key
  const isClosing = direction.does === 'close'
  return {
    place,
    ...direction,
    ...(isClosing ? { exitKind: closes?.kind ?? kindOf(key) } : {}),
    size: closes?.isWhole === true ? undefined : (terms?.size ?? terms?.asked),
    ...(!isClosing && isNetting(key, mode) ? { isNetting: true } : {}),
    ...(!isClosing && key.hasAttachedExit === true ? { hasAttachedExit: true } : {}),
  }
}

/** The key with the side that its order closes in this mode: nobody has to know it later. */
export function keyInMode(key: OrderKey, mode: PositionMode): OrderKey {
  const { orders, closes } = key
  if (orders !== undefined) return { ...key, orders: orders.map((one) => keyInMode(one, mode)) }
  if (closes === undefined || closes.inOneWay === closes.inHedge) return key
  const side = mode === 'oneWay' ? closes.inOneWay : closes.inHedge
  // Hedge mode rejects it, or it opens.
  if (mode === 'hedge' && side === undefined) return key
  return { ...key, closes: { ...closes, inOneWay: side, inHedge: side } }
}

/**
 * Whether the mode decides what an order closes.
 * @param reduces as in OrderEffect: where it closes nothing in hedge mode, that mode rejects it
 */
export function needsMode({ inOneWay, inHedge, isWhole }: Closing, reduces: boolean): boolean {
  return !isWhole && inOneWay !== inHedge && !(reduces && inHedge === undefined)
}

/** What an order closes; without a side all that there is. Undefined: it may open. */
export function closedIn(
  { closes, reduces }: { readonly closes?: Closing | undefined; readonly reduces: boolean },
  mode: PositionMode | undefined,
) {
  if (closes === undefined) return undefined
  const { kind, isWhole, inOneWay, inHedge } = closes
  if (isWhole) return { kind, side: undefined }
  const byMode = mode === undefined ? undefined : mode === 'hedge' ? inHedge : inOneWay
  const side = needsMode(closes, reduces) ? byMode : (inHedge ?? inOneWay)
  return side === undefined ? undefined : { kind, side }
}

/** Where the position of an order is; undefined when it does not name it. */
export function positionPlaceOf({ market, symbol, productType, demo }: Placed) {
  if (symbol === undefined) return undefined
  const product = market === 'spot' ? undefined : upperAscii(productType)
  const place: PositionPlace = {
    market,
    symbol: upperAscii(symbol),
    ...(product === undefined ? {} : { productType: product }),
    ...(demo === true ? { demo } : {}),
  }
  return place
}

/** What an order, or an effect with the account of its call, says of its place. */
type Placed = Pick<OrderKey, 'market' | 'symbol' | 'productType' | 'demo'>

/** The place as a text that does not change: `futures USDT-FUTURES BTCUSDT demo`. */
export function placeNameOf({ market, productType, symbol, demo }: PositionPlace): string {
  return [market, productType, symbol, demo === true ? 'demo' : undefined]
    .filter((part) => part !== undefined)
    .join(' ')
}

/** @param place by `placeNameOf` */
export function isIn(market: Market, place: string): boolean {
  return place.startsWith(`${market} `)
}

type Direction = Pick<PositionPart, 'side' | 'does' | 'isEitherSide'>

function directionOf(key: OrderKey, mode: PositionMode | undefined): Direction | undefined {
  const { action, market, terms = {}, closes } = key
  const { side, position, asked } = terms
  if (closes !== undefined) {
    const inOneWay = closes.inOneWay ?? sideClosedBy(side)
    const inHedge = closes.inHedge ?? inOneWay
    const isEither = mode === undefined && inOneWay !== undefined && inOneWay !== inHedge
    const closed = closing(mode === 'oneWay' ? inOneWay : inHedge)
    return closed && isEither ? { ...closed, isEitherSide: true } : closed
  }
  // MEXC futures: 1 opens a long position, 2 closes a short one, 3 and 4 the other way round.
  if (side === '2' || side === '4') return closing(side === '2' ? 'short' : 'long')
  const isBuy = side === 'buy' || side === '1'
  if (!isBuy && side !== 'sell' && side !== '3') return undefined
  const [own, other] = isBuy ? (['long', 'short'] as const) : (['short', 'long'] as const)
  if (market === 'spot') return isBuy ? { side: 'long', does: 'open' } : closing('long')
  // Keys of earlier versions have no `closes`. Bitget in hedge mode: the side names the position.
  if (position === 'close') return closing(own)
  const isClosing = (action === 'place' && asked !== undefined) || position === other
  return isClosing ? closing(other) : { side: own, does: 'open' }
}

function closing(side: PositionSide | undefined): Direction | undefined {
  return side === undefined ? undefined : { side, does: 'close' }
}

/** Of a key of an earlier version. */
function kindOf({ plan, planType, leg }: OrderKey): ExitKind {
  if (plan === undefined) return 'now'
  return leg === 'stopSurplus' || planType?.includes('profit') === true ? 'profit' : 'stop'
}

/** In hedge mode Bitget rejects an order that opens and names no position. */
function isNetting(key: OrderKey, mode: PositionMode | undefined): boolean {
  const { exchange, market, terms, isOneWay } = key
  if (mode !== undefined || market === 'spot') return market !== 'spot' && mode === 'oneWay'
  return isOneWay === true || (exchange === 'bg' && terms?.position === undefined)
}
