import { write, writeSync } from 'node:fs'

/** What is kept for a reader that has stopped reading; further lines are dropped. */
const BUFFER_LENGTH_MAX = 16 * 1024 * 1024
/** Lines that come within this time are written together; `kill -9` loses them. */
const TOGETHER_MS = 10
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
  /** Lines are being written, or will be soon. */
  #isDue = false
  #onIdle = () => {}

  /** @param file an open file; standard output is 1 */
  constructor(file: number) {
    this.#file = file
  }

  write(line: string): void {
    if (this.#length + line.length > BUFFER_LENGTH_MAX) return
    this.#lines.push(line)
    this.#length += line.length
    if (!this.#isDue) this.#writeSoon()
  }

  /** Resolves when everything is written, or after 2 s. */
  flush(): Promise<void> {
    if (!this.#isDue) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, FLUSH_MS_MAX)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Writes what waits, before the process ends; pino calls it after a fatal error. */
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

  #writeSoon(): void {
    this.#isDue = true
    setTimeout(() => this.#writeBytes(Buffer.from(this.#takeLines())), TOGETHER_MS)
  }

  #onWritten(): void {
    this.#isDue = false
    if (this.#lines.length > 0) this.#writeSoon()
    else this.#onIdle()
  }

  #writeBytes(bytes: Buffer): void {
    write(this.#file, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeBytes(bytes), FULL_PIPE_MS)
      else if (error === null && written < bytes.length) this.#writeBytes(bytes.subarray(written))
      else this.#onWritten()
    })
  }
}
