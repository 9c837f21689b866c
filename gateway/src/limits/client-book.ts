import type { ExchangeCode } from 'schema'
import type { ExitKind, PositionSide } from '../exchanges/position-part.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440
export const DAY_MS = DAY_MINUTES * MINUTE_MS

export const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS)

/**
 * A sum over the last 24 hours, by minutes. A value counts until its whole minute is older than
 * that: up to a minute longer, never shorter.
 */
export class DaySum {
  readonly #minutes = new Map<number, number>()
  #total = 0
  /** Minutes before this one are removed. */
  #oldest = 0

  /** @returns the minute to take it back from */
  add(value: number, nowMs: number): number {
    const minute = minuteOf(nowMs)
    this.addTo(minute, value)
    return minute
  }

  /** What is older than a day does not count. */
  addTo(minute: number, value: number): void {
    if (minute < this.#oldest) return
    this.#minutes.set(minute, (this.#minutes.get(minute) ?? 0) + value)
    this.#total += value
  }

  /** Takes a value back, unless its minute no longer counts. */
  takeBack(minute: number, value: number): void {
    const counted = this.#minutes.get(minute)
    if (counted === undefined) return
    this.#minutes.set(minute, counted - value)
    this.#total -= value
  }

  total(nowMs: number): number {
    const oldest = minuteOf(nowMs) - DAY_MINUTES
    if (oldest > this.#oldest) this.#removeBefore(oldest)
    return this.#total
  }

  #removeBefore(oldest: number): void {
    this.#oldest = oldest
    for (const [minute, value] of this.#minutes) {
      if (minute >= oldest) continue
      this.#minutes.delete(minute)
      this.#total -= value
    }
  }
}

/** How many there were in the last 60 seconds. */
export class MinuteCount {
  #times: number[] = []
  #first = 0

  add(count: number, nowMs: number): void {
    for (let added = 0; added < count; added += 1) this.#times.push(nowMs)
  }

  /** Takes back what was added at a time. */
  takeBack(count: number, atMs: number): void {
    if (count === 0) return
    const at = this.#times.lastIndexOf(atMs)
    const isCounted = at >= this.#first && this.#times[at - count + 1] === atMs
    if (isCounted) this.#times.splice(at - count + 1, count)
  }

  count(nowMs: number): number {
    while (this.#first < this.#times.length && (this.#times[this.#first] ?? 0) <= nowMs - MINUTE_MS)
      this.#first += 1
    if (this.#first > 1_000) {
      this.#times = this.#times.slice(this.#first)
      this.#first = 0
    }
    return this.#times.length - this.#first
  }
}

/** What a client has used of its limits. */
class ClientBook {
  readonly day = new DaySum()
  readonly minute = new MinuteCount()
  /** Exits, which count for themselves. */
  readonly exitMinute = new MinuteCount()
  /** Requests that limits in shadow mode would have refused. */
  readonly shadowed = new DaySum()
  /** Orders that are admitted, not sent yet, and may become working orders. */
  opening = 0
}

/** What orders are worth together. */
interface Worth {
  /** Millionths of a USDT; 0 when it is not known. */
  valueMicros: number
  /** Whether that is what all of the orders are worth. */
  isValued: boolean
}

/** What an admitted order takes of its client's limits until it ends. */
export interface Reservation extends Worth {
  readonly clientRef: number
  /** The minute in whose sum the value is. */
  readonly minute: number
  /** How many working orders it may add that are not counted there yet. */
  opening: number
  /** Ends the refreshing of the prices that it needs. */
  readonly release: () => void
}

/** An exit that was judged as an ordinary order, because the fill of its entry was not known. */
interface EarlyExit {
  readonly clientRef: number
  readonly exchange: ExchangeCode
  readonly keysId: number
  /** By `placeNameOf`. */
  readonly place: string
  readonly side: PositionSide
  readonly kind: ExitKind
  readonly size: string
  /** Other clients have the key too. */
  readonly isShared?: boolean
}

/** An exit of which the record of own positions knows what was open before it. */
export interface LearntExit extends Pick<EarlyExit, 'place' | 'side' | 'size'> {
  readonly journalId: string
  /** It closed only what its client had opened. */
  readonly isOwn: boolean
  /** The same without what an attached take profit or stop loss may have closed before. */
  readonly isOwnOfShared: boolean
}

/** What a request counts in the last minute. */
interface Counted {
  readonly clientRef: number
  readonly atMs: number
  readonly orders: number
  readonly exits: number
}

/** Early exits of a request, and what they took of the limits. */
interface Early {
  readonly clientRef: number
  readonly atMs: number
  readonly count: number
  exits: readonly EarlyExit[]
  /** Undefined: the request has not ended. */
  took: Pick<Reservation, 'minute' | 'valueMicros'> | undefined
}

/** What clients have used of their limits, and what their orders take until they end. */
export class ClientBooks {
  readonly #nowMs: () => number
  readonly #isEnough: (exit: EarlyExit) => boolean
  readonly #books = new Map<number, ClientBook>()
  readonly #reservations = new Map<string, Reservation>()
  readonly #early = new Map<string, Early>()
  /** Of requests that may still turn out not to have been sent. */
  readonly #counted = new Map<string, Counted>()

  /** @param isEnough whether what is open covers the exits that may still be filled */
  constructor(nowMs: () => number, isEnough: (exit: EarlyExit) => boolean) {
    this.#nowMs = nowMs
    this.#isEnough = isEnough
  }

  of(clientRef: number): ClientBook {
    const book = this.#books.get(clientRef) ?? new ClientBook()
    this.#books.set(clientRef, book)
    return book
  }

  /** Counts the orders of a request in the last minute, once. @returns when they were counted */
  count(id: string, clientRef: number, orders: number, exits = 0): number {
    const before = this.#counted.get(id)
    if (before !== undefined) return before.atMs
    const atMs = this.#nowMs()
    if (orders === 0 && exits === 0) return atMs
    const { minute, exitMinute } = this.of(clientRef)
    minute.add(orders, atMs)
    exitMinute.add(exits, atMs)
    this.#counted.set(id, { clientRef, atMs, orders, exits })
    return atMs
  }

  /** The exchange may have got a request: its orders stay counted. */
  reached(id: string): void {
    this.#counted.delete(id)
  }

  /**
   * A request was not sent: a bot that tries again while its exchange takes no orders must not use
   * up its own limits.
   */
  notSent(id: string): void {
    const counted = this.#counted.get(id)
    if (counted === undefined) return
    this.#counted.delete(id)
    const { clientRef, atMs, orders, exits } = counted
    const { minute, exitMinute } = this.of(clientRef)
    minute.takeBack(orders, atMs)
    exitMinute.takeBack(exits, atMs)
  }

  reservationOf(id: string): Reservation | undefined {
    return this.#reservations.get(id)
  }

  /** Reserves what a request takes, in the sum of this minute. */
  reserve(
    id: string,
    clientRef: number,
    { valueMicros, isValued, opening, release }: Omit<Reservation, 'clientRef' | 'minute'>,
  ): void {
    const book = this.of(clientRef)
    const minute = book.day.add(valueMicros, this.#nowMs())
    book.opening += opening
    this.resume(id, { clientRef, minute, valueMicros, isValued, opening, release })
  }

  /** The value of a reservation is in the sum already. */
  resume(id: string, reservation: Reservation): void {
    this.#reservations.set(id, reservation)
  }

  /** Counts an order as what it is worth by the current price. */
  revalue(reservation: Reservation, worth: Worth): void {
    const { clientRef, minute, valueMicros } = reservation
    const { day } = this.of(clientRef)
    day.takeBack(minute, valueMicros)
    day.addTo(minute, worth.valueMicros)
    reservation.valueMicros = worth.valueMicros
    reservation.isValued = worth.isValued
  }

  /** From here on its orders are among the working orders. */
  sending(id: string): Reservation | undefined {
    const reservation = this.#reservations.get(id)
    if (reservation === undefined) return undefined
    this.of(reservation.clientRef).opening -= reservation.opening
    reservation.opening = 0
    return reservation
  }

  /**
   * @param isReleased nothing was placed: its value no longer counts
   * @returns as `learnt`
   */
  ended(id: string, isReleased: boolean): number | undefined {
    const early = this.#early.get(id)
    if (isReleased) this.#early.delete(id)
    const reservation = this.#reservations.get(id)
    if (reservation === undefined) return undefined
    this.#reservations.delete(id)
    const { clientRef, minute, valueMicros, opening, release } = reservation
    const book = this.of(clientRef)
    book.opening -= opening
    if (isReleased) book.day.takeBack(minute, valueMicros)
    else if (early !== undefined) early.took = { minute, valueMicros }
    release()
    return this.#giveBack(id)
  }

  /**
   * All orders of a request that take of the limits are early exits.
   * @param atMs when they were counted
   */
  remember(id: string, clientRef: number, exits: readonly EarlyExit[], atMs: number): void {
    for (const [other, { atMs: sinceMs }] of this.#early)
      if (sinceMs < atMs - DAY_MS) this.#early.delete(other)
    this.#early.set(id, { clientRef, atMs, count: exits.length, exits, took: undefined })
  }

  /** The early exits of a client whose closed quantity is not known yet. */
  earlyOf(clientRef: number): readonly EarlyExit[] {
    const own = [...this.#early.values()].filter((early) => early.clientRef === clientRef)
    return own.flatMap(({ exits }) => exits)
  }

  /**
   * The record knows now what was open before an exit of a request. When all of its early exits
   * closed only that, and left enough for the exits that rest, they take nothing of the limits any
   * more.
   * @returns the client of the request when its value is 0 now
   */
  learnt(learnt: LearntExit): number | undefined {
    const { journalId: id, place, side, size } = learnt
    const early = this.#early.get(id)
    if (early === undefined) return undefined
    const at = early.exits.findIndex(
      (each) => each.place === place && each.side === side && each.size === size,
    )
    const exit = early.exits[at]
    const isOwn = exit?.isShared === true ? learnt.isOwnOfShared : learnt.isOwn
    if (exit === undefined || !isOwn || !this.#isEnough(exit)) {
      this.#early.delete(id)
      return undefined
    }
    early.exits = early.exits.toSpliced(at, 1)
    return this.#giveBack(id)
  }

  #giveBack(id: string): number | undefined {
    const early = this.#early.get(id)
    if (early?.took === undefined || early.exits.length > 0) return undefined
    this.#early.delete(id)
    const { clientRef, atMs, count, took } = early
    const book = this.of(clientRef)
    book.day.takeBack(took.minute, took.valueMicros)
    book.minute.takeBack(count, atMs)
    book.exitMinute.add(count, this.#nowMs())
    return clientRef
  }
}
