/** At most `max` weight in any window of `windowMs`. */
export interface RateLimit {
  readonly max: number
  readonly windowMs: number
  /** What one request costs; 1 when absent. */
  readonly weight?: number
  /**
   * A budget that endpoints share, by its name, and whose it is. Absent: the endpoint has its own,
   * for each address or, where a signature is needed, for each account.
   */
  readonly pool?: { readonly name: string; readonly of: 'address' | 'account' }
}

/**
 * How the exchanges count at the end of a window is not known, and the way to them moves a request
 * by milliseconds: a request is forgotten a little early, so a caller that keeps the pace exactly
 * is not rejected by chance.
 */
const TOLERANCE = 0.01

/** Sliding windows, one per name. */
export class RateLimits {
  readonly #monotonicMs: () => number
  readonly #taken = new Map<string, { atMs: number; weight: number }[]>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /**
   * Takes one request's weight and returns what is left; null, with nothing taken, when it does not
   * fit.
   */
  take(name: string, { max, windowMs, weight = 1 }: RateLimit): number | null {
    const nowMs = this.#monotonicMs()
    const inWindow = (this.#taken.get(name) ?? []).filter(
      ({ atMs }) => atMs > nowMs - windowMs * (1 - TOLERANCE),
    )
    this.#taken.set(name, inWindow)
    const used = inWindow.reduce((sum, entry) => sum + entry.weight, 0)
    if (used + weight > max) return null
    inWindow.push({ atMs: nowMs, weight })
    return max - used - weight
  }

  clear(): void {
    this.#taken.clear()
  }
}
