import { write, writeSync } from 'node:fs'
import type { FastifyBaseLogger, FastifyInstance, FastifyServerOptions } from 'fastify'
import { REQUESTS_EXCEEDED } from './client-budget.ts'
import { pathOf } from './errors.ts'

/** pino's options for production: one JSON object per line, without secrets. */
export function loggerOptions(
  level: string,
): Exclude<FastifyServerOptions['logger'], boolean | undefined> {
  return {
    level,
    redact: {
      paths: [
        'req.headers.authorization',
        'headers.authorization',
        '*.apiKey',
        '*.apiSecret',
        '*.passphrase',
        '*.password',
        '*.clientSecret',
        '*.token',
        '*.listenKey',
        '*.totp',
        '*.recoveryCode',
        '*.recoveryCodes',
      ],
      censor: '[redacted]',
    },
    serializers: {
      req: (request: { method: string; url: string }) => ({
        method: request.method,
        path: pathOf(request.url),
      }),
    },
  }
}

/** Writes a line for each response. */
export function logResponses(app: FastifyInstance): void {
  // Nothing in this line is redacted: its fields are named here, and none has a secret.
  const requestLog = app.log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    // A flood beyond a client's budget writes no line each: the request log counts it.
    if (request.errorCode === REQUESTS_EXCEEDED) return done()
    const { url: route = '' } = request.routeOptions
    // A proxy asks every second.
    const isWell = route.startsWith('/health/') && reply.statusCode < 400
    requestLog[isWell ? 'debug' : 'info'](
      {
        reqId: request.id,
        method: request.method,
        path: pathOf(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.errorCode === null ? {} : { code: request.errorCode }),
      },
      'request',
    )
    done()
  })
}

type Factory = NonNullable<FastifyServerOptions['childLoggerFactory']>

/**
 * A request's logger, which is made for its first line: most requests write none of their own, and
 * the redaction makes it cost as much as a signature.
 */
export const lazyChildLogger: Factory = (parent, bindings, options) =>
  new LazyLogger(() => parent.child(bindings, options)) as unknown as FastifyBaseLogger

type Line = [details: object, text?: string]

class LazyLogger {
  readonly #make: () => FastifyBaseLogger
  #made: FastifyBaseLogger | undefined

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make
  }

  get #log(): FastifyBaseLogger {
    this.#made ??= this.#make()
    return this.#made
  }

  get level(): string {
    return this.#log.level
  }

  fatal(...line: Line): void {
    this.#log.fatal(...line)
  }

  error(...line: Line): void {
    this.#log.error(...line)
  }

  warn(...line: Line): void {
    this.#log.warn(...line)
  }

  info(...line: Line): void {
    this.#log.info(...line)
  }

  debug(...line: Line): void {
    this.#log.debug(...line)
  }

  trace(...line: Line): void {
    this.#log.trace(...line)
  }

  silent(...line: Line): void {
    this.#log.silent(...line)
  }

  child(...of: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#log.child(...of)
  }
}

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
