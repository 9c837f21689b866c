import type { Time, Timer } from '../time.ts'
import { Turns } from '../upstream/in-turn.ts'

interface RetryingWriterOptions<Value> {
  readonly write: (name: string, value: Value) => Promise<void>
  readonly time: Pick<Time, 'setTimeout'>
  /** The pause between two attempts; 1 s when absent. */
  readonly retryMs?: number | undefined
}

const RETRY_MS = 1_000

/**
 * Writes values that must not be lost. A value that cannot be written, for example because the disk
 * is full, is kept and retried every second until it is written. Values with the same name are
 * written in the order in which they came.
 */
export class RetryingWriter<Value> {
  readonly #write: RetryingWriterOptions<Value>['write']
  readonly #retryMs: number
  readonly #time: RetryingWriterOptions<Value>['time']
  readonly #pendingWrites = new Map<string, Value>()
  readonly #turns = new Turns()
  #timer: Timer | undefined

  constructor({ write, time, retryMs = RETRY_MS }: RetryingWriterOptions<Value>) {
    this.#write = write
    this.#time = time
    this.#retryMs = retryMs
  }

  /** @throws the error of the write; the value is kept and retried */
  async write(name: string, value: Value): Promise<void> {
    try {
      await this.writeOnce(name, value)
    } catch (error) {
      this.#pendingWrites.set(name, value)
      this.#schedule()
      throw error
    }
  }

  /**
   * Writes once, without a retry. On success it replaces a value that is still pending.
   * @throws the error of the write
   */
  async writeOnce(name: string, value: Value): Promise<void> {
    const endTurn = await this.#turns.take(name)
    try {
      await this.#write(name, value)
      this.#pendingWrites.delete(name)
    } finally {
      endTurn()
    }
  }

  /** The value of a name that is not written yet. */
  pending(name: string): Value | undefined {
    return this.#pendingWrites.get(name)
  }

  /** Tries to write all pending values. */
  async flush(): Promise<void> {
    for (const name of [...this.#pendingWrites.keys()]) await this.retry(name)
  }

  /**
   * Tries to write the pending value of a name.
   * @returns the value if that failed
   */
  async retry(name: string): Promise<Value | undefined> {
    const endTurn = await this.#turns.take(name)
    try {
      const value = this.#pendingWrites.get(name)
      if (value === undefined) return undefined
      await this.#write(name, value)
      this.#pendingWrites.delete(name)
    } catch {
      // `write()` has already reported the first failure; the value stays pending.
    } finally {
      endTurn()
    }
    return this.#pendingWrites.get(name)
  }

  /** Tries one last time to write all pending values. */
  async close(): Promise<void> {
    await this.flush()
    this.#timer?.cancel()
  }

  #schedule(): void {
    this.#timer ??= this.#time.setTimeout(() => void this.#retryAll(), this.#retryMs).unref()
  }

  async #retryAll(): Promise<void> {
    await this.flush()
    this.#timer = undefined
    if (this.#pendingWrites.size > 0) this.#schedule()
  }
}
