import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import { keysOf } from '../exchanges/keys.ts'
import type { ApiKeyListRow } from '../store/api-key-store.ts'
import type { CallReport, CallResult } from '../upstream/events.ts'
import type { AlertBoard, AlertDetail } from './alert-board.ts'

const DAY_MS = 86_400_000
/** How many days before a key's end the alert is raised, and raised again. */
const WARN_DAYS = [14, 7, 1]

/**
 * Call results that mean that the keys themselves are bad. A missing permission is not one: it can
 * concern a single route.
 */
const KEY_REJECTIONS: Partial<Record<CallResult, string>> = {
  key: 'the key is wrong, expired or deleted',
  signature: 'the secret or the passphrase does not match the key',
  ip: 'the address of this gateway is not allowed for the key',
}

/** The alerts about stored keys, with the subject exchange/client. */
const OF_KEYS = [
  'key.refused',
  'key.test-failed',
  'key.expiring',
  'exchange.account-broken',
] as const

/** Watches clients' exchange keys: rejected in use, failed in a test, about to expire. */
export function createKeyAlerts({ raise, clear, raised, nowMs }: AlertBoard) {
  function checkTest(row: ApiKeyListRow): void {
    const { exchange, clientId, testStatus, testMessage } = row
    if (testStatus === 'failure')
      raise(
        'key.test-failed',
        subjectOf(row),
        `The ${EXCHANGE_NAMES[exchange]} keys of "${clientId}" failed their test`,
        { exchange, clientId, answer: testMessage },
      )
    else
      clear(
        'key.test-failed',
        subjectOf(row),
        `The keys of "${clientId}" no longer fail their test`,
      )
  }

  function checkExpiry(row: ApiKeyListRow): void {
    const end = endOf(row)
    const leftMs = end === undefined ? Number.POSITIVE_INFINITY : end.atMs - nowMs()
    const level = WARN_DAYS.findLastIndex((days) => leftMs <= days * DAY_MS)
    if (end === undefined || level === -1)
      clear('key.expiring', subjectOf(row), `The keys of "${row.clientId}" do not expire soon`)
    else raise('key.expiring', subjectOf(row), ...expiring(row, end, leftMs), level)
  }

  return {
    /** Takes the result of a signed call of a client into account. */
    called({ exchange, call, context, result }: CallReport): void {
      if (!call.signed || context === undefined || context.byAdmin === true) return
      const { clientId } = context
      const subject = subjectOf({ exchange, clientId })
      const why = KEY_REJECTIONS[result]
      const name = EXCHANGE_NAMES[exchange]
      if (why !== undefined)
        raise(
          'key.refused',
          subject,
          `${name} rejects the keys of "${clientId}": ${why}. Test them and store new ones`,
          { exchange, clientId, refusal: result },
        )
      else if (result === 'ok')
        clear('key.refused', subject, `${name} accepts the keys of "${clientId}" again`)
    },

    /** Checks all stored keys. An alert about keys that were replaced or deleted is cleared. */
    check(rows: readonly ApiKeyListRow[]): void {
      for (const row of rows) {
        checkTest(row)
        checkExpiry(row)
      }
      const storedAt = new Map(rows.map((row) => [subjectOf(row), row.createdAtMs]))
      for (const type of OF_KEYS)
        for (const { subject, raisedAtMs } of raised(type))
          if ((storedAt.get(subject) ?? Number.POSITIVE_INFINITY) > raisedAtMs)
            clear(type, subject, 'The keys were replaced or deleted')
    },
  }
}

function subjectOf({ exchange, clientId }: { exchange: ExchangeCode; clientId: string }): string {
  return `${exchange}/${clientId}`
}

interface KeyEnd {
  readonly atMs: number
  /**
   * The exchange reported it; otherwise it is the latest end of a key that is bound to no address.
   */
  readonly isKnown: boolean
}

/** When keys expire; undefined when they do not, or when they were tested after that time. */
function endOf(row: ApiKeyListRow): KeyEnd | undefined {
  const { exchange, createdAtMs, expiresAtMs, expiryReadAtMs, testStatus, testedAtMs } = row
  const { unboundDays } = keysOf(exchange)
  const isKnown = expiryReadAtMs !== null
  const guessMs = unboundDays === undefined ? null : createdAtMs + unboundDays * DAY_MS
  const atMs = isKnown ? expiresAtMs : guessMs
  if (atMs === null || (testStatus === 'success' && (testedAtMs ?? 0) > atMs)) return undefined
  return { atMs, isKnown }
}

/** The message and the detail of the alert. */
function expiring(
  { exchange, clientId, createdAtMs }: ApiKeyListRow,
  { atMs, isKnown }: KeyEnd,
  leftMs: number,
): [message: string, detail: AlertDetail] {
  const daysLeft = Math.max(0, Math.ceil(leftMs / DAY_MS))
  const end = isoOf(atMs).slice(0, 10)
  const fromNow = daysLeft === 1 ? '1 day from now' : `${daysLeft} days from now`
  const keys = `${EXCHANGE_NAMES[exchange]} keys of "${clientId}"`
  const why = !isKnown
    ? `It is not known when the ${keys} expire. If they are bound to no address, they do so on ${end} at the latest, ${fromNow}`
    : daysLeft === 0
      ? `The ${keys} expired on ${end}`
      : `The ${keys} expire on ${end}, ${fromNow}`
  return [
    `${why}: create new keys, bind them to the gateway's address and store them`,
    {
      exchange,
      clientId,
      storedAt: isoOf(createdAtMs),
      expiresAt: isKnown ? isoOf(atMs) : null,
      daysLeft,
    },
  ]
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
