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
export class ClientBook {
  readonly day = new DaySum()
  readonly minute = new MinuteCount()
  /** Exits, which count for themselves. */
  readonly exitMinute = new MinuteCount()
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
