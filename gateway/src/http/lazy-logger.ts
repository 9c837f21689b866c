import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'

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
