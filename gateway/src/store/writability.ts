import { isStoreFailure, StoreSilentError } from './errors.ts'
import type { Writable } from './log-store.ts'

// A probe waits for the disk. One more often would show nothing more.
const PROBE_EVERY_MS = 600
/** A write takes milliseconds. Without an end for this long, the database says nothing. */
const SILENT_MS = 1_000

/** Remembers whether the last write succeeded, and finds it out where nothing is written. */
export class Writability {
  readonly #writeMark: (value: string) => Promise<unknown>
  /** The writes that have no end yet, oldest first. */
  readonly #pending = new Set<{ readonly sinceMs: number }>()
  #state: Writable = { ok: true }
  #isSilent = false
  #endedMs = Number.NEGATIVE_INFINITY
  /** The end of the last write that succeeded, or that the database failed at. */
  #knownMs = Number.NEGATIVE_INFINITY
  #probing: Promise<Writable> | undefined

  /** @param writeMark writes something, and resolves when the disk has it */
  constructor(writeMark: (value: string) => Promise<unknown>) {
    this.#writeMark = writeMark
  }

  get state(): Writable {
    return this.#isSilent ? { ok: false, error: new StoreSilentError() } : this.#state
  }

  /** Takes note of a failure that no write of this object had. */
  fail(error: Error): void {
    this.#state = { ok: false, error }
  }

  /** @throws what the write throws */
  async attempt<T>(write: () => Promise<T>): Promise<T> {
    const pending = { sinceMs: performance.now() }
    this.#pending.add(pending)
    try {
      const value = await write()
      this.#state = { ok: true }
      this.#knownMs = performance.now()
      return value
    } catch (error) {
      if (isStoreFailure(error)) {
        this.fail(error)
        this.#knownMs = performance.now()
      }
      throw error
    } finally {
      this.#pending.delete(pending)
      this.#endedMs = performance.now()
      this.#isSilent = false
    }
  }

  /** @throws the last failure, when another attempt fails as well */
  async require(nowMs: number): Promise<void> {
    const writable = this.#state.ok ? this.#state : await this.#writeProbe(nowMs)
    if (!writable.ok) throw writable.error
  }

  async probe(nowMs: number): Promise<Writable> {
    if (this.#isSilent || (this.#state.ok && this.#isRecent())) return this.state
    return this.#writeProbe(nowMs)
  }

  look(nowMs: number): void {
    // Readiness probes by itself after an error that is no failure of the database, and reports it.
    if (!this.#isRecent()) this.probe(nowMs).catch(() => {})
    if (!this.#isOverdue()) return
    // After a pause of this process, its sockets are read first.
    setImmediate(() =>
      setImmediate(() => {
        this.#isSilent = this.#isOverdue()
      }),
    )
  }

  #isRecent(): boolean {
    return performance.now() - this.#knownMs < PROBE_EVERY_MS
  }

  #isOverdue(): boolean {
    const [oldest] = this.#pending
    if (oldest === undefined) return false
    return performance.now() - Math.max(oldest.sinceMs, this.#endedMs) >= SILENT_MS
  }

  /** Never rejects for a failure of the database. Callers share one that is under way. */
  async #writeProbe(nowMs: number): Promise<Writable> {
    this.#probing ??= this.attempt(() => this.#writeMark(`${nowMs}`))
      .catch(passOverStoreFailure)
      .then(() => this.#state)
      .finally(() => {
        this.#probing = undefined
      })
    return this.#probing
  }
}

/** A probe reports a failure by its state. */
function passOverStoreFailure(error: unknown): void {
  if (!isStoreFailure(error)) throw error
}
