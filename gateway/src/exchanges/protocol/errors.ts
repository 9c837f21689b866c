import { createError } from '@fastify/error'

// What is known decides what a caller may do: after `sent: false` the same order can be sent again,
// after `sent: true` it may have been placed and has to be looked up.

/**
 * No connection: DNS, connection refused, TLS, or no time left before it stood. Not one byte went
 * out.
 */
export class ExchangeUnreachableError extends createError<
  [exchange: string, options?: ErrorOptions]
>(
  'EXCHANGE_UNREACHABLE',
  '%s could not be reached and nothing was sent; try again in a few seconds',
  503,
) {
  readonly sent = false
}

/**
 * The request cannot be written as HTTP, for example because the stored key has a line break in it.
 */
export class ExchangeRequestInvalidError extends createError<
  [exchange: string, options?: ErrorOptions]
>(
  'EXCHANGE_REQUEST_INVALID',
  'The request to %s was not sent: its path or the stored key contains characters that HTTP does not allow',
  422,
) {
  readonly sent = false
}

/** The request is out, and the time for the whole attempt is over. */
export class ExchangeTimeoutError extends createError<
  [exchange: string, ms: number, options?: ErrorOptions]
>(
  'EXCHANGE_TIMEOUT',
  '%s did not send a complete response within %s ms; the request may have been carried out',
  504,
) {
  readonly sent = true
}

/** The connection broke, or spoke something other than HTTP, after the request was out. */
export class ExchangeConnectionLostError extends createError<
  [exchange: string, options?: ErrorOptions]
>(
  'EXCHANGE_CONNECTION_LOST',
  'The connection to %s was lost before its response was complete; the request may have been carried out',
  504,
) {
  readonly sent = true
  /**
   * The exchange closed a kept connection as a read was written, without a byte of a response. Such
   * a read may be sent again (RFC 9112, 9.3.1).
   */
  readonly isUnheard: boolean
  constructor(exchange: string, options: ErrorOptions, isUnheard = false) {
    super(exchange, options)
    this.isUnheard = isUnheard
  }
}

/** The response is longer than the gateway reads. */
export class ExchangeResponseTooLargeError extends createError<
  [exchange: string, bytesMax: number, options?: ErrorOptions]
>(
  'EXCHANGE_ANSWER_TOO_LARGE',
  '%s sent a response of more than %s bytes; the request may have been carried out. Request less data at a time',
  502,
) {
  readonly sent = true
}

/** The exchange responded, but not in a way that tells whether it did what was asked. */
export class ExchangeResponseUnclearError extends createError<
  [exchange: string, why: string, options?: ErrorOptions]
>(
  'EXCHANGE_ANSWER_UNCLEAR',
  '%s sent no clear response: %s. The request may have been carried out',
  502,
) {
  readonly sent = true
}

/** A symbol's rules lack what an order cannot be checked without. */
export class ExchangeRulesUnreadableError extends createError<[exchange: string, symbol: string]>(
  'EXCHANGE_RULES_UNREADABLE',
  'The trading rules of %s for "%s" cannot be read, so no order was sent; try again later',
  502,
) {
  readonly sent = false
}

/** A call about one order names none. */
export const OrderIdMissingError = createError<[names: string]>(
  'ORDER_ID_MISSING',
  'Give %s to say which order is meant',
  400,
)

/**
 * Neither the kind of the client nor its permissions matter: nobody may call this through the
 * gateway.
 */
export class EndpointForbiddenError extends createError<
  [exchange: string, call: string, because: string]
>(
  'ENDPOINT_FORBIDDEN',
  "The gateway passes only %s's market data, account reads and trading calls; %s is not one of them%s. Nothing was sent",
  403,
) {
  readonly sent = false
  /** @param reason why the call is closed; undefined where no list has it */
  constructor(exchange: string, call: string, reason?: string) {
    super(exchange, call, reason === undefined ? '' : `: ${reason}`)
  }
}

/** A path that two readers could take for different things. */
export class PathNotPlainError extends createError(
  'PATH_NOT_PLAIN',
  "The path is not in plain form: send the exchange's own path, without empty segments, without dots, percent-encoded only where a symbol has letters beyond ASCII, and a base URL without a slash at its end. Nothing was sent",
  400,
) {
  readonly sent = false
}

export class QueryNotPlainError extends createError(
  'QUERY_NOT_PLAIN',
  'The query contains characters that must be percent-encoded. Nothing was sent',
  400,
) {
  readonly sent = false
}

/** Taken for absent, an order that was meant for the demo account would trade real money. */
export class DemoHeaderInvalidError extends createError(
  'DEMO_HEADER_INVALID',
  'The header "paptrading" must be 1, which selects the demo account; leave it out for the live account. Nothing was sent',
  400,
) {
  readonly sent = false
}

/** The documented routes trade with real money only. */
export class DemoNotHereError extends createError(
  'DEMO_NOT_HERE',
  'These routes have no demo account: send the call under /bg with "paptrading: 1", or leave the header out. Nothing was sent',
  400,
) {
  readonly sent = false
}

/** Orders in the margin category of Bitget's unified account borrow by themselves. */
export class CategoryForbiddenError extends createError<[category: string]>(
  'CATEGORY_FORBIDDEN',
  'Orders of the category "%s" are not allowed, because they can borrow; SPOT, USDT-FUTURES, COIN-FUTURES and USDC-FUTURES are. Nothing was sent',
  403,
) {
  readonly sent = false
}

/** More orders in one call than the exchange takes. */
export class BatchTooLargeError extends createError<[exchange: string, max: number, count: number]>(
  'BATCH_TOO_LARGE',
  '%s takes at most %s orders in this call, and there are %s; send them in several calls. Nothing was sent',
  400,
) {
  readonly sent = false
}

/** The exchange takes no order with this client order id. */
export class ClientOrderIdInvalidError extends createError<
  [field: string, id: string, exchange: string, words: string]
>('CLIENT_ORDER_ID_INVALID', 'The %s "%s" does not fit: %s takes %s. Nothing was sent', 400) {
  readonly sent = false
}

/**
 * A field that makes an order wait for a price, or protects it, in a call that does not know it.
 * The exchange ignores what it does not know: a stop order would trade at once.
 */
export class OrderFieldUnknownError extends createError<
  [call: string, exchange: string, field: string, where: string, advice: string]
>(
  'ORDER_FIELD_UNKNOWN',
  '%s of %s does not know the field "%s"%s, and would trade as if it were not there. %s. Nothing was sent',
  422,
) {
  readonly sent = false
}

/** A body that would take long to read, whatever is in it. */
export class BodyTooComplexError extends createError<[max: number]>(
  'BODY_TOO_COMPLEX',
  'The request has more than %s values; no call needs so many. Nothing was sent',
  400,
) {
  readonly sent = false
}
