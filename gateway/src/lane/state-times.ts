import type { LaneEvent, LaneSnapshot } from './lane-types.ts'

/** When the states of a lane began, as far as its events say it. */
export class StateTimes {
  #pausedMs: number | undefined
  #brokenMs: number | undefined
  #stoppedMs: number | undefined
  #stuckMs: number | undefined
  /** When the last of these states ended; a pause ends by itself. */
  #endedMs: number | undefined

  learn({ type }: LaneEvent, nowMs: number): void {
    if (type === 'paused') this.#pausedMs = nowMs
    // Each probe that fails reports it again.
    if (type === 'broken') this.#brokenMs ??= nowMs
    if (type === 'stopped') this.#stoppedMs ??= nowMs
    if (type === 'stuck') this.#stuckMs = nowMs
    if (type === 'mended') this.#brokenMs = undefined
    if (type === 'resumed') this.#stoppedMs = undefined
    if (type === 'mended' || type === 'resumed' || type === 'unstuck') this.#endedMs = nowMs
  }

  /**
   * For how long this has been the state; null when no event began it.
   * @param pausedUntilMs when the last pause ends or ended
   */
  forMs(state: LaneSnapshot['state'], pausedUntilMs: number, nowMs: number): number | null {
    const sinceMs = this.#sinceMs(state, pausedUntilMs)
    return sinceMs === undefined ? null : Math.round(nowMs - sinceMs)
  }

  #sinceMs(state: LaneSnapshot['state'], pausedUntilMs: number): number | undefined {
    if (state === 'paused') return this.#pausedMs
    if (state === 'broken' || state === 'probing') return this.#brokenMs
    if (state === 'stopped') return this.#stoppedMs
    if (state === 'stuck') return this.#stuckMs
    if (state === 'closing') return undefined
    if (this.#pausedMs === undefined) return this.#endedMs
    return Math.max(pausedUntilMs, this.#endedMs ?? pausedUntilMs)
  }
}
