const STEP_MS = 5_000
const STEPS = 12

/** Counts of the last minute, in steps of 5 s: the oldest step leaves at once. */
export class MinuteRing {
  readonly #counts = new Uint32Array(STEPS)
  #step = 0

  add(nowMs: number): void {
    this.#advance(nowMs)
    const index = this.#step % STEPS
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
  }

  total(nowMs: number): number {
    this.#advance(nowMs)
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /** A clock that is set back counts in the step that is already there. */
  #advance(nowMs: number): void {
    const step = Math.floor(nowMs / STEP_MS)
    if (step <= this.#step) return
    if (step - this.#step >= STEPS) this.#counts.fill(0)
    else for (let each = this.#step + 1; each <= step; each += 1) this.#counts[each % STEPS] = 0
    this.#step = step
  }
}
