import { isStoreFailure } from './failures.ts'
import type { Writable } from './log-store.ts'

// A probe waits for the disk, and every readiness request causes one. Probing more often would add
// nothing.
const PROBE_EVERY_MS = 1_000

/** Remembers whether the last write succeeded, and finds it out where nothing is written. */
export class Writability {
  readonly #writeMark: (value: string) => Promise<unknown>
  #state: Writable = { ok: true }
  #probedMs = Number.NEGATIVE_INFINITY

  /** @param writeMark writes something, and resolves when the disk has it */
  constructor(writeMark: (value: string) => Promise<unknown>) {
    this.#writeMark = writeMark
  }

  get state(): Writable {
    return this.#state
  }

  /** Takes note of a failure that no write of this object had. */
  fail(error: Error): void {
    this.#state = { ok: false, error }
  }

  /** @throws what the write throws */
  async attempt<T>(write: () => Promise<T>): Promise<T> {
    try {
      const value = await write()
      this.#state = { ok: true }
      return value
    } catch (error) {
      if (isStoreFailure(error)) this.fail(error)
      throw error
    }
  }

  /** @throws the last failure, when another attempt fails as well */
  async require(nowMs: number): Promise<void> {
    const writable = this.#state.ok ? this.#state : await this.probe(nowMs)
    if (!writable.ok) throw writable.error
  }

  async probe(nowMs: number): Promise<Writable> {
    if (this.#state.ok && performance.now() - this.#probedMs < PROBE_EVERY_MS) return this.#state
    this.#probedMs = performance.now()
    await this.attempt(() => this.#writeMark(`${nowMs}`)).catch(passOverStoreFailure)
    return this.#state
  }
}

/** A probe reports a failure by its state. */
function passOverStoreFailure(error: unknown): void {
  if (!isStoreFailure(error)) throw error
}
