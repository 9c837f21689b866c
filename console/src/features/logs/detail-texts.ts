export const title = 'Request'
export const close = 'Close'
export const newer = 'Newer'
export const older = 'Older'
export const forBot = 'For the author of the bot:'
export const only = {
  method: 'Only this method',
  endpoint: 'Only this endpoint',
  client: 'Only this client',
  code: 'Only this status',
  search: 'Only this error',
} as const
export const facts = {
  call: 'Method',
  endpoint: 'Endpoint',
  status: 'Status',
  code: 'Error code',
  note: 'Note',
  asked: 'Order',
  client: 'Client ID',
  exchange: 'Exchange',
  time: 'Time',
  took: 'Response time',
  queue: 'Time in the queue',
  upstream: 'Time at the exchange',
  notSent: 'Not sent to the exchange',
  shared: 'Shared response',
  isShared: 'yes',
  isOwn: 'no',
  requestId: 'Request ID',
  order: 'Order life',
} as const
/** By the last column of the error tables in `docs/errors.md`. */
export const advice = {
  no: 'The same request fails again: change something first.',
  yes: 'The same request can be sent again, after `Retry-After` if it is given.',
  key: 'Send the same request again with the same `Idempotency-Key`.',
  'new token': 'Get a new token, then send the same request again.',
} as const
/** What the person at the console can do, by the error's code: the first that fits. */
export const forPerson: readonly (readonly [codes: RegExp, text: string])[] = [
  [
    /^(LIMIT_HALTED|EXCHANGE_STOPPED|QUEUE_ENTRY_DROPPED)$/,
    'Somebody stopped this. Resume it under Operations when the reason is gone.',
  ],
  [
    /^LIMIT_/,
    'A limit of the client refused it. If the order was meant, raise the limit on the page of the client.',
  ],
  [
    /^(SCOPE_|PERMISSION_|SECRET_AS_BEARER)/,
    'If the bot should be allowed to do this, grant it on the page of the client.',
  ],
  [
    /^(CLIENT_INACTIVE|CLIENT_EXPIRED|ADDRESS_FORBIDDEN)$/,
    'The page of the client has its state, its end and its addresses: change there what is wrong.',
  ],
  [
    /^(CLIENT_SECRET_|TOO_MANY_)/,
    'Somebody uses a wrong secret. If it is your bot, give it a new secret.',
  ],
  [/^(TOKEN_|CLIENT_NOT_FOUND)/, 'Nothing, as long as the bot gets a new token by itself.'],
  [
    /^EXCHANGE_(KEYS?|SIGNATURE|IP|PERMISSION|ACCOUNT|REGION)_/,
    'Test the keys of the client under API Key Management: the result names what is wrong.',
  ],
  [
    /^EXCHANGE_(UNREACHABLE|UNAVAILABLE|TIMEOUT|CONNECTION|MAINTENANCE|RATE|TIME|ANSWER|RULES)/,
    'Look at the exchange under Operations: other clients may have the same problem.',
  ],
  [
    /^(QUEUE_|CLIENT_QUEUE|CLIENT_REQUESTS|CLIENT_TOKENS|CALLER_GONE|REQUEST_WITHDRAWN)/,
    'Look at the queue under Operations: the bot sends more than the exchange takes, or does not wait long enough.',
  ],
  [
    /^(OUTCOME_|CANCEL_INCOMPLETE|NOT_CARRIED_OUT|RESTORE_)/,
    'Look at the life of the order, and check at the exchange what is open.',
  ],
  [
    /^(GATEWAY_|OWNER_|NOT_OWNER|JOURNAL_|MASTER_KEY|STORE_|INTERNAL_)/,
    'The gateway had a problem of its own: its output has more under the request ID.',
  ],
  [/^EXCHANGE_/, 'The exchange rejected it. The author of the bot has to correct the request.'],
  [/^/, 'The request of the bot is wrong. Send its author the message above.'],
]
