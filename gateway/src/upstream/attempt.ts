import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { errors } from 'undici'
import type { SignedRequest, UpstreamResponse } from '../exchanges/exchange.ts'
import {
  ExchangeConnectionLostError,
  ExchangeRequestInvalidError,
  ExchangeResponseTooLargeError,
  ExchangeTimeoutError,
  ExchangeUnreachableError,
} from '../exchanges/protocol/errors.ts'
import type { Time, Timer } from '../time.ts'

interface AttemptOptions {
  /** The exchange's name in errors. */
  readonly name: string
  /** The limit for the whole attempt: connecting, sending, headers and body. */
  readonly timeoutMs: number
  readonly time: Pick<Time, 'monotonic' | 'setTimeout'>
  readonly responseBytesMax: number
  /** Called right after the request was handed to the socket. It must not throw. */
  readonly onSent?: (() => void) | undefined
  /** Called when the head of the response is there. It must not throw. */
  readonly onResponse?: (() => void) | undefined
  /**
   * Called right before the first byte. An error that it returns prevents the request. It must not
   * throw.
   */
  readonly heldBack?: (() => undefined | Error) | undefined
  /** When it aborts, the attempt fails with its reason, and the connection is closed. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends one request to an exchange once and reads its response. It never retries and follows no
 * redirect; the error's `sent` says whether the exchange may have received the request.
 * @throws one of the errors of errors.ts, the error of `heldBack`, or the reason of `signal`
 */
export function attempt(
  dispatcher: Dispatcher,
  request: SignedRequest,
  options: AttemptOptions,
): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(
      { method: request.method, path: request.url, headers: request.headers, body: request.body },
      new Attempt(request.method, options, resolve, reject),
    )
  })
}

/** Follows one request from its connection to the end of its response. It settles once. */
export class Attempt implements Dispatcher.DispatchHandler {
  /** The socket of the connection that gets the request, which sets this. */
  socketOf: () => Socket | undefined = () => undefined
  readonly #method: string
  readonly #options: AttemptOptions
  readonly #resolve: (response: UpstreamResponse) => void
  readonly #reject: (error: Error) => void
  readonly #startedAt: number
  readonly #timer: Timer
  readonly #chunks: Buffer[] = []
  #connection: Dispatcher.DispatchController | undefined
  #socket: Socket | undefined
  /** Of earlier responses on the same connection. */
  #bytesBefore = 0
  #isSettled = false
  #status = 0
  #headers: UpstreamResponse['headers'] = {}
  #size = 0

  constructor(
    method: string,
    options: AttemptOptions,
    resolve: (response: UpstreamResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#method = method
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    this.#startedAt = options.time.monotonic()
    this.#timer = options.time.setTimeout(() => this.#timeOut(), options.timeoutMs)
    options.signal?.addEventListener('abort', this.#onAbort)
    if (options.signal?.aborted === true) this.#onAbort()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Nothing is written yet. A request that was given up while connecting must not be sent late,
    // and one that was already written must never be written again.
    if (this.#isSettled || this.#connection !== undefined) {
      controller.abort(new Error('Given up before it was sent'))
      return
    }
    const reason = this.#options.heldBack?.()
    if (reason !== undefined) {
      this.#fail(reason)
      controller.abort(reason)
      return
    }
    this.#connection = controller
    this.#socket = this.socketOf()
    this.#bytesBefore = this.#socket?.bytesRead ?? 0
  }

  onRequestSent(): void {
    this.#options.onSent?.()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamResponse['headers'],
  ): void {
    this.#options.onResponse?.()
    this.#status = status
    this.#headers = headers
    this.#limitSize(Number(headers['content-length'] ?? 0))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#limitSize(this.#size)) this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (!this.#settle()) return
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
      upstreamMs: Math.round(this.#options.time.monotonic() - this.#startedAt),
    })
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    const { name } = this.#options
    if (this.#connection !== undefined) this.#fail(this.#lostError(cause))
    else if (cause instanceof errors.InvalidArgumentError)
      this.#fail(new ExchangeRequestInvalidError(name, { cause }))
    else this.#fail(new ExchangeUnreachableError(name, { cause }))
  }

  #lostError(cause: Error): Error {
    const isUnanswered = this.#bytesBefore > 0 && this.#socket?.bytesRead === this.#bytesBefore
    const isUnheard = isUnanswered && this.#method === 'GET'
    return new ExchangeConnectionLostError(this.#options.name, { cause }, isUnheard)
  }

  readonly #onAbort = () => this.#fail(this.#options.signal?.reason)

  #timeOut(): void {
    const { name, timeoutMs } = this.#options
    const cause = new Error(`Time over after ${timeoutMs} ms`)
    this.#fail(
      this.#connection === undefined
        ? new ExchangeUnreachableError(name, { cause })
        : new ExchangeTimeoutError(name, timeoutMs, { cause }),
    )
  }

  /** Fails a response that is too large. @returns false when it is */
  #limitSize(bytes: number): boolean {
    const { name, responseBytesMax } = this.#options
    if (!(bytes > responseBytesMax)) return true
    this.#fail(new ExchangeResponseTooLargeError(name, responseBytesMax))
    return false
  }

  #fail(error: Error): void {
    if (!this.#settle()) return
    this.#reject(error)
    this.#connection?.abort(error)
  }

  /** @returns false when it was settled before */
  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    this.#timer.cancel()
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    return true
  }
}
