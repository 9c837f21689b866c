import { Turns } from '../upstream/in-turn.ts'

export interface RetryingWriterOptions<Value> {
  readonly write: (name: string, value: Value) => Promise<void>
  /** Between two attempts; 1 s when absent. */
  readonly retryMs?: number | undefined
}

const RETRY_MS = 1_000

/**
 * Writes values that must not be lost. What cannot be written, because the disk is full, is kept and written again
 * each second until it can. Values of one name are written in the order in which they came.
 */
export class RetryingWriter<Value> {
  readonly #write: RetryingWriterOptions<Value>['write']
  readonly #retryMs: number
  readonly #pendingWrites = new Map<string, Value>()
  readonly #turns = new Turns()
  #timer: NodeJS.Timeout | undefined

  constructor({ write, retryMs = RETRY_MS }: RetryingWriterOptions<Value>) {
    this.#write = write
    this.#retryMs = retryMs
  }

  /** @throws what the write threw; the value is kept and written again until it can be */
  async write(name: string, value: Value): Promise<void> {
    try {
      await this.writeOnce(name, value)
    } catch (error) {
      this.#pendingWrites.set(name, value)
      this.#schedule()
      throw error
    }
  }

  /** Writes now or not at all; when it is written, it replaces what is kept. @throws what the write threw */
  async writeOnce(name: string, value: Value): Promise<void> {
    const endTurn = await this.#turns.take(name)
    try {
      await this.#write(name, value)
      this.#pendingWrites.delete(name)
    } finally {
      endTurn()
    }
  }

  /** What is still to be written under a name. */
  pending(name: string): Value | undefined {
    return this.#pendingWrites.get(name)
  }

  /** Tries to write all that is kept. */
  async flush(): Promise<void> {
    for (const name of [...this.#pendingWrites.keys()]) await this.retry(name)
  }

  /** Tries to write what is kept under a name. Returns it when that failed. */
  async retry(name: string): Promise<Value | undefined> {
    const endTurn = await this.#turns.take(name)
    try {
      const value = this.#pendingWrites.get(name)
      if (value === undefined) return undefined
      await this.#write(name, value)
      this.#pendingWrites.delete(name)
    } catch {
      // The first failure was reported by write(); the value stays kept.
    } finally {
      endTurn()
    }
    return this.#pendingWrites.get(name)
  }

  /** Tries to write all that is kept one last time. */
  async close(): Promise<void> {
    await this.flush()
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    this.#timer ??= setTimeout(async () => {
      await this.flush()
      this.#timer = undefined
      if (this.#pendingWrites.size > 0) this.#schedule()
    }, this.#retryMs).unref()
  }
}
