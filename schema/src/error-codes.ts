/**
 * Why a raw route refuses a call, and the class that ccxt makes of it. For each of these an
 * exchange has a code of its own, which its adapter names (`refusals`).
 */
export const REFUSAL_KINDS = {
  /** It may have been carried out, or a response is missing. */
  timeout: 'RequestTimeout',
  authentication: 'AuthenticationError',
  permission: 'PermissionDenied',
  rate: 'RateLimitExceeded',
  maintenance: 'OnMaintenance',
  unavailable: 'ExchangeNotAvailable',
  'invalid-order': 'InvalidOrder',
  'bad-request': 'BadRequest',
  /** Not to be sent again as it is, but no reason to take the order for invalid. */
  failed: 'ExchangeError',
} as const
export type RefusalKind = keyof typeof REFUSAL_KINDS

type CodesByStatus = Readonly<Record<number, readonly string[]>>

/** The errors of raw routes, by kind and status. Documented routes have most of them too. */
const RAW = {
  timeout: {
    500: ['INTERNAL_ERROR'],
    502: ['EXCHANGE_ANSWER_UNCLEAR'],
    // ccxt has no code of these exchanges for DuplicateOrderId, and its parent class InvalidOrder
    // would say that there is no such order.
    409: ['OUTCOME_PENDING'],
    504: [
      ...['OUTCOME_UNKNOWN', 'OUTCOME_SET_BY_ADMIN', 'CANCEL_INCOMPLETE', 'EXCHANGE_TIMEOUT'],
      ...['EXCHANGE_CONNECTION_LOST', 'OWNER_CONNECTION_LOST'],
    ],
  },
  authentication: {
    401: [
      ...['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_AHEAD_OF_CLOCK'],
      ...['TOKEN_REVOKED', 'CLIENT_SECRET_INVALID', 'SECRET_AS_BEARER_OFF'],
    ],
    404: ['CLIENT_NOT_FOUND'],
  },
  permission: {
    403: [
      ...['SCOPE_INSUFFICIENT', 'PERMISSION_WITHDRAWN', 'CLIENT_INACTIVE', 'CLIENT_EXPIRED'],
      ...['ADDRESS_FORBIDDEN', 'HTTPS_REQUIRED', 'ENDPOINT_FORBIDDEN', 'CATEGORY_FORBIDDEN'],
      ...['EXCHANGE_KEYS_MISSING', 'EXCHANGE_KEYS_UNREADABLE'],
      ...['ORDER_OF_ANOTHER_CLIENT', 'ORDER_NOT_OWN'],
    ],
    409: ['ACCOUNT_SHARED'],
    422: ['LIMIT_SYMBOL', 'LIMIT_MARKET', 'LIMIT_REDUCING', 'LIMIT_HALTED'],
    503: ['QUEUE_ENTRY_DROPPED'],
  },
  rate: {
    422: ['LIMIT_ORDER_RATE'],
    429: [
      ...['CLIENT_REQUESTS_EXCEEDED', 'CLIENT_QUEUE_SHARE_EXCEEDED', 'CLIENT_TOKENS_EXCEEDED'],
      'TOO_MANY_ATTEMPTS',
    ],
    503: ['QUEUE_FULL'],
  },
  maintenance: { 503: ['EXCHANGE_STOPPED'] },
  unavailable: {
    499: ['CALLER_GONE'],
    502: ['EXCHANGE_ANSWER_INVALID'],
    503: [
      ...['EXCHANGE_UNREACHABLE', 'EXCHANGE_UNAVAILABLE', 'EXCHANGE_ACCOUNT_UNAVAILABLE'],
      ...['QUEUE_WAIT_TOO_LONG', 'GATEWAY_STOPPING', 'GATEWAY_RESTARTED', 'OWNER_UNREACHABLE'],
      ...['NOT_OWNER', 'JOURNAL_TOO_SLOW', 'MASTER_KEY_UNAVAILABLE', 'RESTORE_LOOKUP_FAILED'],
      ...['STORE_UNWRITABLE', 'STORE_GONE', 'STORE_DAMAGED'],
    ],
    504: ['QUEUE_DEADLINE_PASSED'],
  },
  'invalid-order': {
    400: ['CLIENT_ORDER_ID_INVALID'],
    422: [
      ...['LIMIT_ORDER_VALUE', 'LIMIT_DAY_VALUE', 'LIMIT_OPEN_ORDERS', 'LIMIT_LEVERAGE'],
      ...['LIMIT_PRICE_COLLAR', 'LIMIT_UNVALUED', 'ORDER_FIELD_UNKNOWN'],
    ],
  },
  'bad-request': {
    400: [
      ...['PATH_NOT_PLAIN', 'QUERY_NOT_PLAIN', 'DEMO_HEADER_INVALID', 'HOST_INVALID'],
      ...['URI_MALFORMED', 'BODY_NOT_TEXT', 'BODY_INCOMPLETE', 'BODY_TOO_COMPLEX'],
      ...['BATCH_TOO_LARGE', 'IDEMPOTENCY_KEY_INVALID', 'NOT_A_PROXY', 'LISTEN_KEY_INVALID'],
    ],
    404: ['ROUTE_NOT_FOUND'],
    405: ['METHOD_NOT_ALLOWED'],
    413: ['BODY_TOO_LARGE'],
    414: ['URI_TOO_LONG'],
    415: ['MEDIA_TYPE_UNSUPPORTED'],
    417: ['EXPECTATION_UNKNOWN'],
    422: ['EXCHANGE_REQUEST_INVALID'],
    502: ['EXCHANGE_ANSWER_TOO_LARGE'],
  },
  failed: {
    409: ['RESTORE_LOOKUP_UNCLEAR'],
    410: ['REQUEST_WITHDRAWN'],
    422: ['IDEMPOTENCY_KEY_REUSED'],
    502: ['NOT_CARRIED_OUT'],
  },
} as const satisfies Readonly<Record<RefusalKind, CodesByStatus>>

/**
 * The other errors of bots: of documented routes, of tokens, and of what has no path because it is
 * no HTTP request. On raw routes a rejection by the exchange keeps the exchange's own words.
 */
const DOCUMENTED = {
  400: [
    ...['VALIDATION_FAILED', 'ORDER_INVALID', 'ORDER_ID_MISSING', 'BODY_NOT_JSON'],
    ...['DEMO_NOT_HERE', 'REQUEST_MALFORMED'],
  ],
  403: [
    ...['PERMISSION_NOT_GRANTED', 'EXCHANGE_SIGNATURE_REFUSED', 'EXCHANGE_KEY_REFUSED'],
    ...['EXCHANGE_IP_REFUSED', 'EXCHANGE_PERMISSION_REFUSED', 'EXCHANGE_REGION_REFUSED'],
  ],
  404: ['REQUEST_NOT_FOUND', 'CANCEL_NOT_FOUND', 'EXCHANGE_ORDER_NOT_FOUND'],
  408: ['REQUEST_TIMEOUT'],
  409: ['REQUEST_ALREADY_SENT', 'EXCHANGE_ORDER_STATE_REFUSED', 'EXCHANGE_ORDER_DUPLICATE'],
  422: [
    ...['EXCHANGE_PARAMETER_REFUSED', 'EXCHANGE_BALANCE_REFUSED', 'EXCHANGE_POSITION_REFUSED'],
    ...['EXCHANGE_SIZE_REFUSED', 'EXCHANGE_SYMBOL_REFUSED', 'EXCHANGE_ORDER_FORM_REFUSED'],
    ...['EXCHANGE_LEVERAGE_REFUSED', 'EXCHANGE_LIMIT_REFUSED', 'EXCHANGE_REFUSED'],
  ],
  426: ['UPGRADE_REQUIRED'],
  429: ['EXCHANGE_RATE_LIMITED', 'TOO_MANY_SOCKETS'],
  431: ['HEADERS_TOO_LARGE'],
  502: ['EXCHANGE_RULES_UNREADABLE'],
  503: [
    ...['EXCHANGE_MAINTENANCE', 'EXCHANGE_TIME_REFUSED', 'EXCHANGE_ACCOUNT_KIND_REFUSED'],
    'ORDER_NOT_PREPARED',
  ],
} as const satisfies CodesByStatus

/** The errors of administrators, of the console and of metrics: no bot gets them. */
const ADMIN = {
  400: [
    ...[
      'AUDIT_BUNDLE_FILTERED',
      'OPENID_ORIGIN',
      'PASSKEY_ORIGIN',
      'PASSKEY_REFUSED',
      'PASSWORD_TOO_COMMON',
    ],
    ...['PASSWORD_TOO_SHORT', 'TIME_ZONE_UNKNOWN'],
  ],
  401: [
    ...['LOGIN_FAILED', 'METRICS_TOKEN_INVALID', 'OPENID_DENIED', 'OPENID_EXPIRED'],
    ...['OPENID_FAILED', 'SECOND_FACTOR_FAILED', 'SECOND_FACTOR_NEEDED', 'SESSION_IDLE'],
    'SIGN_IN_EXPIRED',
  ],
  403: [
    ...['CONFIRM_FAILED', 'FRESH_FACTOR_NEEDED', 'METRICS_LOCAL_ONLY', 'NOT_OWN_REQUEST'],
    ...['OPENID_DISABLED', 'OPENID_EMAIL_MISSING', 'OPENID_EMAIL_TAKEN', 'OPENID_NO_ROLE'],
    ...['OWN_REQUEST', 'PASSWORD_SIGN_IN_OFF', 'ROLE_FORBIDDEN', 'SECOND_FACTOR_REQUIRED'],
  ],
  404: [
    ...['API_DOCS_OFF', 'API_KEY_NOT_FOUND', 'APPROVAL_NOT_FOUND', 'FACTOR_NOT_FOUND'],
    ...['OPENID_OFF', 'ORDER_NOT_FOUND', 'PERSON_NOT_FOUND', 'QUEUE_ENTRY_NOT_FOUND'],
    'SESSION_NOT_FOUND',
  ],
  409: [
    ...['ADMIN_EXISTS', 'APPROVALS_FULL', 'APPROVAL_DECIDED', 'APPROVAL_OUTDATED'],
    ...['CANCEL_UNDER_WAY', 'CLIENT_ID_TAKEN', 'CLIENT_ORDERS_IN_DOUBT', 'LAST_ADMIN'],
    ...['LIMITS_CHANGED', 'NO_PASSWORD', 'NO_SECOND_FACTOR', 'ORDER_NOT_UNKNOWN'],
    ...['PASSKEY_TAKEN', 'PERSON_CHANGED', 'ROLE_FROM_PROVIDER', 'SECOND_FACTORS_FULL'],
  ],
  422: ['KEY_CAN_WITHDRAW'],
  500: ['STORE_IN_USE'],
  503: ['OPENID_UNAVAILABLE', 'SIGN_IN_BUSY', 'STOP_NOT_KEPT', 'UNREADABLE_SECRET'],
  // Of a cancel that a stop sends.
  504: ['CANCEL_REPEATED'],
} as const satisfies CodesByStatus

type CodesOf<T> = T extends CodesByStatus ? T[keyof T & number][number] : never
/** The codes that a raw route's errors have. */
export type RawErrorCode = CodesOf<(typeof RAW)[RefusalKind]>
/** The codes that a bot's errors have. */
export type BotErrorCode = RawErrorCode | CodesOf<typeof DOCUMENTED>
export type ErrorCode = BotErrorCode | CodesOf<typeof ADMIN>

interface ErrorFacts<Code extends ErrorCode> {
  readonly code: Code
  readonly status: number
}
/** An error that raw routes have, and why they refuse then. */
export interface RawError extends ErrorFacts<RawErrorCode> {
  readonly kind: RefusalKind
}

const KINDS = Object.keys(REFUSAL_KINDS) as RefusalKind[]

/** The errors of raw routes: `/mx`, `/bg`, and MEXC's paths at the root. */
export const rawErrors: readonly RawError[] = KINDS.flatMap((kind) =>
  listed<RawErrorCode>(RAW[kind]).map((error) => ({ ...error, kind })),
)
/** Every error that a bot can get, those of raw routes included. */
export const allBotErrors: readonly ErrorFacts<BotErrorCode>[] = [
  ...rawErrors.map(({ code, status }) => ({ code, status })),
  ...listed<BotErrorCode>(DOCUMENTED),
]
/** The errors that only administrators, the console and metrics get. */
export const adminErrors: readonly ErrorFacts<ErrorCode>[] = listed<ErrorCode>(ADMIN)

function listed<Code extends ErrorCode>(
  codes: Readonly<Record<number, readonly Code[]>>,
): readonly ErrorFacts<Code>[] {
  return Object.entries(codes).flatMap(([status, list]) =>
    list.map((code) => ({ code, status: Number(status) })),
  )
}

const kinds: ReadonlyMap<string, RefusalKind> = new Map(
  rawErrors.map(({ code, kind }) => [code, kind]),
)

/**
 * Why a raw route refuses with an error. Whatever its code, an unknown outcome is one: the order
 * may exist.
 */
export function refusalKindOf(error: {
  readonly code: string
  readonly outcome?: string | undefined
}): RefusalKind {
  return error.outcome === 'unknown' ? 'timeout' : (kinds.get(error.code) ?? 'failed')
}
