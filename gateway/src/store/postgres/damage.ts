import { StoreDamagedError } from '../errors.ts'

/** Whether PostgreSQL reported damaged data (XX001, XX002). Nothing is written from then on. */
export class Damage {
  #found: Error | undefined
  #listener: ((error: Error) => void) | undefined

  /** Takes note of an error that says so, and returns it. */
  watch(error: unknown): unknown {
    if (!(error instanceof StoreDamagedError)) return error
    const isFirst = this.#found === undefined
    this.#found ??= error
    if (isFirst) this.#listener?.(error)
    return error
  }

  /** @throws StoreDamagedError */
  requireNone(): void {
    if (this.#found !== undefined) throw this.#found
  }

  /** Calls back once, when damage is found. The listener must not throw. */
  onFound(listener: (error: Error) => void): void {
    this.#listener = listener
    if (this.#found !== undefined) listener(this.#found)
  }
}
