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
    text: 'For every order and cancel: a new key for each, the same key for each retry of it. A retry gets the first response and places nothing.',
  },
  {
    name: 'Prefer: wait',
    line: 'Prefer: wait=20',
    text: 'The longest time that the request may wait in the queue, in seconds. If the expected wait is longer, the request is rejected at once and nothing is sent.',
  },
  {
    name: 'Prefer: respond-async',
    line: 'Prefer: respond-async',
    text: 'An order gets a 202 response at once, with a `Location` where its status can be read, so no connection has to stay open for up to 180 s.',
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
    means: "The token's 600 s are over.",
    todo: 'Nothing was sent. Get a new token and send the same request again.',
  },
  {
    code: 'TOKEN_REVOKED',
    status: 401,
    means: 'The client was switched off, or its tokens were revoked, after the token was issued.',
    todo: 'Get a new token and send the same request again; if you cannot get one, ask an administrator.',
  },
  {
    code: 'SCOPE_INSUFFICIENT',
    status: 403,
    means: 'The client or its token lacks the permission that the call needs.',
    todo: 'Ask an administrator to grant it, then get a new token.',
  },
  {
    code: 'EXCHANGE_KEYS_MISSING',
    status: 403,
    means: 'No keys of this exchange are stored for the client.',
    todo: 'An administrator can add them under API Key Management.',
  },
  {
    code: 'ENDPOINT_FORBIDDEN',
    status: 403,
    means: 'Withdrawals, transfers, sub-accounts and keys are not available to any client.',
    todo: 'Do not send it again.',
  },
  {
    code: 'ORDER_INVALID',
    status: 400,
    means: 'The order breaks a rule of its symbol; the message names the nearest valid amounts.',
    todo: 'Correct it and send it; the key is free.',
  },
  {
    code: 'EXCHANGE_RATE_LIMITED',
    status: 429,
    means: "The exchange's rate limit was hit.",
    todo: 'Send the same request again after `Retry-After`.',
  },
  {
    code: 'QUEUE_WAIT_TOO_LONG',
    status: 503,
    means: 'The expected wait is longer than the request may wait.',
    todo: 'Nothing was sent. Send the same request again after `Retry-After`.',
  },
  {
    code: 'OUTCOME_UNKNOWN',
    status: 504,
    means: 'It is not known whether the order exists. The gateway looks it up where it can.',
    todo: 'Look it up by its client order id, or send the same request with the same Idempotency-Key. Never use another one before.',
  },
]
