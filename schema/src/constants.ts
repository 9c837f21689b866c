/** Life of a client token (console-checklist.md, 189). */
export const TOKEN_TTL_SECONDS = 600
/** Requests per second to one exchange when nothing else is set. */
export const DEFAULT_RATE_LIMIT_PER_SECOND = 2
export const NOTE_LENGTH_MAX = 50
/** What the sign-in form asks for. Older passwords may be as short. */
export const PASSWORD_LENGTH_MIN = 6
/** Of a password that is set now. */
export const NEW_PASSWORD_LENGTH_MIN = 12
export const PASSWORD_LENGTH_MAX = 1_024
/** How long a factor that was shown counts for what must be confirmed. */
export const CONFIRMED_SECONDS = 300
/** How long a client's old secret works when the rotation does not say; at most a week. */
export const OLD_SECRET_SECONDS = 3_600
export const OLD_SECRET_SECONDS_MAX = 604_800
/** What of a client secret stays readable: the first 8 and the last 4 characters. */
export const SECRET_PREVIEW = { head: 8, tail: 4, dots: '...' } as const
/** What `GET /api/logs` and the statistics look back on. */
export const LOG_WINDOW_HOURS = 24
/** Client credentials of a page. */
export const CLIENT_LIMIT_MAX = 1_000
/** Entries of a page of the log when the caller does not say how many. */
export const LOG_LIMIT = 100
/** The log's matches are counted up to this number. */
export const LOG_COUNT_MAX = 10_000
export const LOG_LIMIT_MAX = 10_000
/** Entries of a page of the audit trail. */
export const AUDIT_LIMIT = 100
export const AUDIT_LIMIT_MAX = 1_000
/** How many approvals are listed. */
export const APPROVALS_LISTED = 200

/** The types of alerts. The dotted names are stable: receivers depend on them. */
export const ALERT_TYPES = [
  'exchange.broken',
  'exchange.account-broken',
  'exchange.throttled',
  'exchange.stopped',
  'exchange.stuck',
  'pace.violation',
  'order.unknown',
  'cancel.unknown',
  'key.refused',
  'key.test-failed',
  'key.expiring',
  'stream.down',
  'stream.refused',
  'stream.gap',
  'client.refused',
  'client.silent',
  'sign-in.attack',
  'approval.waiting',
  'master-key.refused',
  'owner.changed',
  'node.missing',
  'store.damaged',
  'store.unwritable',
  'disk.full',
  'disk.low',
  'backup.old',
  'backup.missing',
  'clock.drift',
] as const
export type AlertType = (typeof ALERT_TYPES)[number]
