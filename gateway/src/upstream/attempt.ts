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

export interface AttemptOptions {
  /** The exchange's name in errors. */
  readonly name: string
  /** The limit for the whole attempt: connecting, sending, headers and body. */
  readonly timeoutMs: number
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
}

/**
 * Sends one request to an exchange once and reads its response. It never retries and follows no
 * redirect; the error's `sent` says whether the exchange may have received the request.
 * @throws one of the errors of errors.ts, or the error of `heldBack`
 */
export function attempt(
  dispatcher: Dispatcher,
  request: SignedRequest,
  { name, timeoutMs, responseBytesMax, onSent, onResponse, heldBack }: AttemptOptions,
): Promise<UpstreamResponse> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    let connection: Dispatcher.DispatchController | undefined
    let isSettled = false
    let status = 0
    let headers: UpstreamResponse['headers'] = {}
    let size = 0
    const chunks: Buffer[] = []

    const fail = (error: Error) => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      reject(error)
      connection?.abort(error)
    }
    const timer = setTimeout(() => {
      const cause = new Error(`Time over after ${timeoutMs} ms`)
      fail(
        connection === undefined
          ? new ExchangeUnreachableError(name, { cause })
          : new ExchangeTimeoutError(name, timeoutMs, { cause }),
      )
    }, timeoutMs)

    dispatcher.dispatch(
      { method: request.method, path: request.url, headers: request.headers, body: request.body },
      {
        onRequestStart(controller) {
          // Nothing is written yet. A request that was given up while connecting must not be sent
          // late, and one that was already written must never be written again.
          if (isSettled || connection !== undefined) {
            controller.abort(new Error('Given up before it was sent'))
            return
          }
          const reason = heldBack?.()
          if (reason !== undefined) {
            fail(reason)
            controller.abort(reason)
            return
          }
          connection = controller
        },
        onRequestSent: () => onSent?.(),
        onResponseStart(_controller, statusCode, responseHeaders) {
          onResponse?.()
          status = statusCode
          headers = responseHeaders
          if (Number(responseHeaders['content-length'] ?? 0) > responseBytesMax) {
            fail(new ExchangeResponseTooLargeError(name, responseBytesMax))
          }
        },
        onResponseData(_controller, chunk) {
          size += chunk.length
          if (size > responseBytesMax)
            fail(new ExchangeResponseTooLargeError(name, responseBytesMax))
          else chunks.push(chunk)
        },
        onResponseEnd() {
          if (isSettled) return
          isSettled = true
          clearTimeout(timer)
          resolve({
            status,
            headers,
            body: Buffer.concat(chunks),
            upstreamMs: Math.round(performance.now() - startedAt),
          })
        },
        onResponseError(_controller, cause) {
          if (connection !== undefined) fail(new ExchangeConnectionLostError(name, { cause }))
          else if (cause instanceof errors.InvalidArgumentError)
            fail(new ExchangeRequestInvalidError(name, { cause }))
          else fail(new ExchangeUnreachableError(name, { cause }))
        },
      },
    )
  })
}
