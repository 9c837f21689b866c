/** A request header that a bot can send to the gateway, and what it is for. */
export interface BotHeader {
  readonly name: string
  readonly line: string
  readonly text: string
}

export const botHeaders: readonly BotHeader[] = [
  {
    name: 'Idempotency-Key',
    line: 'Idempotency-Key: order-7f3a91',
    text: 'With everything that trades: a new one for each order, the same one for each retry of it. A retry gets the first answer and places nothing.',
  },
  {
    name: 'Prefer: wait',
    line: 'Prefer: wait=20',
    text: 'The longest that the request may wait in the queue, in seconds. When it would be longer, it is refused at once and nothing was sent.',
  },
  {
    name: 'Prefer: respond-async',
    line: 'Prefer: respond-async',
    text: 'An order is answered at once with 202 and a `Location` to ask at, so that no connection has to stay open up to 180 s.',
  },
]

/** An error that a bot meets now and then. `code` is stable, and what a program decides by. */
export interface BotError {
  readonly code: string
  readonly status: number
  readonly means: string
  /** What to do, and whether to send the same again. */
  readonly todo: string
}

export const botErrors: readonly BotError[] = [
  {
    code: 'TOKEN_EXPIRED',
    status: 401,
    means: 'The 600 s of the token are over.',
    todo: 'Get a new token and send the same again: nothing was sent.',
  },
  {
    code: 'TOKEN_REVOKED',
    status: 401,
    means: 'The client was switched off after the token was issued, or its tokens were withdrawn.',
    todo: 'Get a new token and send the same again; when there is none, ask an administrator.',
  },
  {
    code: 'SCOPE_INSUFFICIENT',
    status: 403,
    means: 'The client or its token lacks the permission that the call needs.',
    todo: 'Have it granted, then get a new token.',
  },
  {
    code: 'EXCHANGE_KEYS_MISSING',
    status: 403,
    means: 'No keys of this exchange are stored for the client.',
    todo: 'An administrator stores them under API Key Management.',
  },
  {
    code: 'ENDPOINT_FORBIDDEN',
    status: 403,
    means: 'Withdrawals, transfers, sub-accounts and keys are closed to every client.',
    todo: 'Do not send it again.',
  },
  {
    code: 'ORDER_INVALID',
    status: 400,
    means:
      'The order breaks a rule of its symbol; the message names the nearest amounts that do not.',
    todo: 'Correct it and use a new Idempotency-Key.',
  },
  {
    code: 'EXCHANGE_RATE_LIMITED',
    status: 429,
    means: 'The exchange asked for quiet.',
    todo: 'Send the same again after `Retry-After`.',
  },
  {
    code: 'QUEUE_WAIT_TOO_LONG',
    status: 503,
    means: 'The queue is longer than the request may wait.',
    todo: 'Nothing was sent: send the same again after `Retry-After`.',
  },
  {
    code: 'OUTCOME_UNKNOWN',
    status: 504,
    means: 'The order went out and its answer was lost; the gateway goes on asking for it.',
    todo: 'Send the same with the same Idempotency-Key, never with another one.',
  },
]
