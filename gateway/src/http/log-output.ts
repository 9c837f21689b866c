import { write, writeSync } from 'node:fs'

/** What is kept for a reader that has stopped reading; further lines are dropped. */
const BUFFER_LENGTH_MAX = 16 * 1024 * 1024
/** The pause before the next attempt when the reader takes nothing right now. */
const FULL_PIPE_MS = 10
/** How long a stop waits for the reader. */
const FLUSH_MS_MAX = 2_000

/**
 * Where the log is written, outside of the event loop: a reader that is slow or has stopped must
 * not stop an order, and lines that come while others are written go together. Pino's own
 * destination (sonic-boom 5) lost lines when its reader was slow. A failed write loses its lines,
 * because there is nowhere else to report it.
 */
export class LogOutput {
  readonly #file: number
  #lines: string[] = []
  #length = 0
  #isWriting = false
  #onIdle = () => {}

  /** @param file an open file; standard output is 1 */
  constructor(file: number) {
    this.#file = file
  }

  write(line: string): void {
    if (this.#length + line.length > BUFFER_LENGTH_MAX) return
    this.#lines.push(line)
    this.#length += line.length
    if (!this.#isWriting) this.#writeLines()
  }

  /** Resolves when everything is written, or after 2 s. */
  flush(): Promise<void> {
    if (!this.#isWriting) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, FLUSH_MS_MAX)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Pino calls it after a fatal error: writes what waits, before the process ends. */
  flushSync(): void {
    const text = this.#takeLines()
    try {
      writeSync(this.#file, text)
    } catch {
      // As for any failed write.
    }
  }

  #takeLines(): string {
    const text = this.#lines.join('')
    this.#lines = []
    this.#length = 0
    return text
  }

  #writeLines(): void {
    this.#isWriting = this.#lines.length > 0
    if (this.#isWriting) this.#writeBytes(Buffer.from(this.#takeLines()))
    else this.#onIdle()
  }

  #writeBytes(bytes: Buffer): void {
    write(this.#file, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeBytes(bytes), FULL_PIPE_MS)
      else if (error === null && written < bytes.length) this.#writeBytes(bytes.subarray(written))
      else this.#writeLines()
    })
  }
}
