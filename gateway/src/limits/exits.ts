import { BigNumber } from 'bignumber.js'
import type { ClientLimits, ExchangeCode } from 'schema'
import type { CallEffect, OrderEffect, OrderIds } from '../exchanges/call-effect.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { type OrderCall, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import {
  closedIn,
  EXIT_KINDS,
  type ExitKind,
  isIn,
  keyInMode,
  needsMode,
  POSITION_SIDES,
  type PositionMode,
  type PositionPlace,
  type PositionSide,
  partOf,
  placeNameOf,
  positionPlaceOf,
} from '../exchanges/position-part.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import { atPosition, type ChangedEffect, concernsExits, withoutAttached } from './changed-order.ts'

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

/** The record of what clients opened and have not closed. */
export interface OwnQuantities {
  /**
   * @param keysId the row of the keys, which identifies the account
   * @param place by `placeNameOf`
   * @param without orders with these ids count with what they were filled with, as if they were
   * cancelled: for a change of them
   */
  readonly openOf: (
    clientRef: number,
    exchange: ExchangeCode,
    keysId: number,
    place: string,
    side: PositionSide,
    without?: ChangedIds,
    options?: OpenOfOptions,
  ) => OpenQuantity
  /**
   * Whether a client has an open quantity of either side; `perhaps`: not certain.
   * @param keysId the keys that the client has now
   * @param place undefined: any place of futures
   * @param sinceMs what was asked for since then is certain
   */
  readonly hasOpen: (
    clientRef: number,
    exchange: ExchangeCode,
    keysId: number,
    place: string | undefined,
    sinceMs?: number,
  ) => boolean | 'perhaps'
  /**
   * Asks the exchange for the fills that are not known, with the keys that are stored now.
   * @param place only those of this place
   * @param within when that is over it ends, with what is known by then
   * @returns false: the exchange gave no clear response to a question
   * @throws the errors of the lane and the transport, StoreUnwritableError
   */
  readonly learn: (
    clientRef: number,
    exchange: ExchangeCode,
    jobClass: 'lookup' | 'market',
    place?: string | undefined,
    within?: LearnWithin,
  ) => Promise<boolean>
}

/** How a call names the order that it changes. Trigger orders have ids of their own numbering. */
export interface ChangedIds extends OrderIds {
  /** As in `OrderKey`. Absent: it may be of any kind. */
  readonly plan?: string | undefined
}

export interface OpenOfOptions {
  /**
   * Leaves out what entries with an attached take profit or stop loss opened: no exchange reports
   * when that closes it, and on a key that other clients have too the rest may be theirs.
   */
  readonly leavesOutAttached?: boolean
}

/** How long an order may still wait, and until when its caller does. */
export interface LearnWithin {
  readonly maxWaitMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ExitsDeps {
  readonly own: OwnQuantities
  /**
   * Whether the account has one position a symbol, or a long and a short one; undefined when the
   * exchange does not say it.
   */
  readonly positionMode: (
    clientRef: number,
    exchange: ExchangeCode,
    place: PositionPlace,
  ) => Promise<PositionMode | undefined>
  readonly keys: Pick<ClientKeys, 'accountRefOf' | 'othersWithKeyOf'>
}

/** The client and the exchange of a request. */
interface OfClient {
  readonly id: string
  readonly clientRef: number
  readonly exchange: ExchangeCode
}

/** An own position. */
interface Position {
  readonly clientRef: number
  readonly exchange: ExchangeCode
  readonly keysId: number
  /** By `placeNameOf`. */
  readonly place: string
  readonly side: PositionSide
  /** Other clients have the key too: nobody knows whose part an attached exit has closed. */
  readonly isShared?: boolean
}

/** What a call says beside its orders. */
interface Asking extends Rule {
  readonly account: Pick<Position, 'clientRef' | 'exchange' | 'keysId' | 'isShared'>
  readonly mode: PositionMode | undefined
  readonly demo: boolean | undefined
  readonly effects: readonly CallEffect[]
}

/** What an order asks for of an own position. */
interface Part extends Position {
  readonly size: string
}

/** One whose position may be larger than it is known to be. */
interface Doubtful extends Part {
  readonly kind: ExitKind
}

/** A part of an own position that one order takes. */
interface Take {
  readonly position: string
  readonly kind: ExitKind
  readonly size: BigNumber
}

/** What an order closes that can only reduce. */
interface Exit {
  readonly kind: ExitKind
  /** Absent where it may close all that there is. */
  readonly part?: Part
  /** Of a change: the order that it changes. */
  readonly changes: OrderIds | undefined
}

/** The effects of a call, and which of them may be exits. */
export interface AskedExits {
  readonly effects: readonly CallEffect[]
  readonly exits: ReadonlyMap<CallEffect, Exit>
  /** Another one may be an exit: its position, or how its account keeps them, was not read. */
  readonly isUnread: boolean
}

/** The effects of a call as limits judge them. */
export interface Divided {
  /** Of an order that takes more than the client opened, the part beyond. */
  readonly effects: readonly CallEffect[]
  /** Those of them that take only what the client opened, which most limits do not concern. */
  readonly exits: ReadonlySet<CallEffect>
  /** The others whose position may be larger than it is known to be. */
  readonly doubtful: ReadonlyMap<CallEffect, Doubtful>
}

type Rule = Pick<ClientLimits, 'exits'>

/**
 * Which orders are exits: they can only reduce, and take no more than their client itself opened
 * and its other exits leave. Of each kind exits may take all of it. Spot orders share it among all
 * kinds: no exchange keeps them from selling more.
 */
export class Exits {
  readonly #deps: ExitsDeps
  /** What exits take that were admitted and have no end in the record yet, by request. */
  readonly #takes = new Map<string, readonly Take[]>()
  /** Their sums, by position and kind. */
  readonly #taken = new Map<string, BigNumber>()
  readonly #modes = new WeakMap<UpstreamCall, PositionMode>()

  constructor(deps: ExitsDeps) {
    this.#deps = deps
  }

  /**
   * Which effects of a call may be exits, and of which positions.
   * @param isWaiting false: the exchange is not asked, what it said at the admission counts
   * @throws NotOwnerError, ExchangeKeysMissingError
   */
  async asked(
    { clientRef, exchange }: OfClient,
    { call, order: key }: OrderCall,
    effects: readonly CallEffect[],
    { exits }: Rule,
    { isWaiting, readSinceMs }: { isWaiting: boolean; readSinceMs?: number | undefined },
  ): Promise<AskedExits> {
    if (exits === 'limited' || !effects.some(concernsExits))
      return { effects, exits: new Map(), isUnread: false }
    if (isWaiting) await this.#askMode(clientRef, exchange, call, effects)
    const mode = this.#modes.get(call)
    const { keys } = this.#deps
    const keysId = await keys.accountRefOf(clientRef, exchange, readSinceMs)
    const isShared = (await keys.othersWithKeyOf(clientRef, exchange)).length > 0
    const found = new Map<CallEffect, Exit>()
    const named = effects.map((effect) => {
      if (effect.kind !== 'order') return effect
      const order = withoutAttached(atPosition(effect, key))
      const { demo } = call
      const account = { clientRef, exchange, keysId, isShared }
      const exit = this.#exitOf(order, { account, mode, demo, effects, exits })
      if (exit !== undefined) found.set(order, exit)
      return order
    })
    const isOneUnread = named.some((each) => !found.has(each) && isUnread(each, mode))
    return { effects: named, exits: found, isUnread: isOneUnread }
  }

  /**
   * Divides each exit into what the client opened, which is reserved for it until `free`, and the
   * part beyond. Within one turn: two exits must not both take the same quantity.
   */
  divide({ id }: OfClient, { effects, exits }: AskedExits): Divided {
    this.free(id)
    if (exits.size === 0) return { effects, exits: new Set<CallEffect>(), doubtful: new Map() }
    const covered = new Set<CallEffect>()
    const doubtful = new Map<CallEffect, Doubtful>()
    const divided = effects.map((effect) => {
      const exit = exits.get(effect)
      if (exit === undefined || effect.kind !== 'order') return effect
      const { part } = exit
      if (part === undefined) {
        covered.add(effect)
        return effect
      }
      const { left, isCertain } = this.#leftOf(part, exit)
      const size = new BigNumber(part.size)
      const own = BigNumber.max(BigNumber.min(size, left), 0)
      this.#take(id, { position: nameOf(part), kind: exit.kind, size: own })
      if (own.eq(size)) {
        covered.add(effect)
        return effect
      }
      const beyond = own.isZero() ? effect : { ...effect, size: size.minus(own).toFixed() }
      if (!isCertain) doubtful.set(beyond, { ...part, kind: exit.kind })
      return beyond
    })
    return { effects: divided, exits: covered, doubtful }
  }

  /** The call with the sides that its orders close, by the mode at its admission. */
  inMode(orderCall: OrderCall): OrderCall {
    const { call, order } = orderCall
    const mode = this.#modes.get(call)
    return mode && order ? { ...orderCall, order: keyInMode(order, mode) } : orderCall
  }

  /** Whether what is open is enough for all exits of a kind that may still be filled. */
  isEnough(position: Position & { readonly kind: ExitKind }): boolean {
    return this.#leftOf(position, { kind: position.kind, changes: undefined }).left.gte(0)
  }

  /** What a request has reserved is in the record now, or was not placed. */
  free(id: string): void {
    const takes = this.#takes.get(id)
    if (takes === undefined) return
    this.#takes.delete(id)
    for (const take of takes) this.#add(take, take.size.negated())
  }

  /** An order of the previous process whose outcome is not known takes what it asked for. */
  resume(request: OfClient & { readonly keysRef: number | null }, key: OrderKey): void {
    const { id, clientRef, exchange, keysRef } = request
    if (keysRef === null) return
    for (const order of ordersOf(key)) {
      const part = partOf(order)
      if (part?.does !== 'close' || part.size === undefined) continue
      const { exitKind: kind = 'now', size } = part
      const own = { clientRef, exchange, keysId: keysRef, place: placeNameOf(part.place) }
      for (const side of part.isEitherSide === true ? POSITION_SIDES : [part.side])
        this.#take(id, { position: nameOf({ ...own, side }), kind, size: new BigNumber(size) })
    }
  }

  /** What an order closes as an exit; undefined: limits judge it as they judge any order. */
  #exitOf(order: ChangedEffect, call: Asking): Exit | undefined {
    const closed = closedIn(order, call.mode)
    if (closed === undefined) return undefined
    const { side, kind } = closed
    const exit = { kind, changes: order.changes }
    if (call.exits === 'any') return exit
    if (side === undefined) return this.#mayHold(order, call) ? exit : undefined
    const place = placeIn(order, call)
    const size = order.size ?? order.oldSize
    if (place === undefined || size === undefined) return undefined
    return { ...exit, part: { ...call.account, place, side, size: new BigNumber(size).toFixed() } }
  }

  /** Whether the client may have a part of what an order closes, or opens it with the same call. */
  #mayHold(order: OrderEffect, call: Asking): boolean {
    const { clientRef, exchange, keysId } = call.account
    const place = placeIn(order, call)
    // Which position it is could not be read.
    if (place === undefined && order.closes?.positionId !== undefined) return false
    if (this.#deps.own.hasOpen(clientRef, exchange, keysId, place) !== false) return true
    return call.effects.some(
      (each) => each.kind === 'order' && each.closes === undefined && placeIn(each, call) === place,
    )
  }

  /** How much of a position an exit may take; below 0: what is open does not cover the others. */
  #leftOf(position: Position, { kind, changes }: Pick<Exit, 'kind' | 'changes'>) {
    const { clientRef, exchange, keysId, place, side, isShared = false } = position
    const quantity = this.#deps.own.openOf(clientRef, exchange, keysId, place, side, changes, {
      leavesOutAttached: isShared,
    })
    const shared = isIn('spot', place) ? EXIT_KINDS : [kind]
    let left = new BigNumber(quantity.open)
    for (const each of shared)
      left = left
        .minus(quantity.resting[each])
        .minus(this.#taken.get(`${nameOf(position)} ${each}`) ?? 0)
    return { left, isCertain: quantity.isCertain }
  }

  #take(id: string, take: Take): void {
    if (take.size.isZero()) return
    this.#takes.set(id, [...(this.#takes.get(id) ?? []), take])
    this.#add(take, take.size)
  }

  #add({ position, kind }: Take, size: BigNumber): void {
    const name = `${position} ${kind}`
    const sum = (this.#taken.get(name) ?? new BigNumber(0)).plus(size)
    if (sum.isZero()) this.#taken.delete(name)
    else this.#taken.set(name, sum)
  }

  /** What a call does whose words mean one thing in one mode, and another one in the other. */
  async #askMode(
    clientRef: number,
    exchange: ExchangeCode,
    call: UpstreamCall,
    effects: readonly CallEffect[],
  ): Promise<void> {
    const orders = effects.filter((effect) => effect.kind === 'order')
    const [place] = orders
      .filter(({ closes, reduces }) => closes !== undefined && needsMode(closes, reduces))
      .flatMap((order) => positionPlaceOf({ ...order, demo: call.demo }) ?? [])
    if (place === undefined) return
    // A call is about one kind of futures.
    const mode = await this.#deps.positionMode(clientRef, exchange, place)
    if (mode !== undefined) this.#modes.set(call, mode)
  }
}

const nameOf = ({ clientRef, exchange, keysId, place, side }: Position): string =>
  `${clientRef} ${exchange} ${keysId} ${place} ${side}`

function isUnread(effect: CallEffect, mode: PositionMode | undefined): boolean {
  if (effect.kind !== 'order' || effect.closes === undefined) return false
  const { closes, reduces, symbol } = effect
  if (symbol === undefined && closes.positionId !== undefined) return true
  return mode === undefined && needsMode(closes, reduces)
}

function placeIn(order: OrderEffect, { demo }: Asking): string | undefined {
  const place = positionPlaceOf({ ...order, demo })
  return place && placeNameOf(place)
}
