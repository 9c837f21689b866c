import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import { keysOf } from '../exchanges/keys.ts'
import type { ApiKeyListRow } from '../store/api-key-store.ts'
import type { CallReport, CallResult } from '../upstream/call-report.ts'
import type { AlertBoard } from './alert-board.ts'

const DAY_MS = 86_400_000
/** How long before a key's end the alert is raised, for a key that is bound to no IP address. */
const WARN_DAYS_BEFORE = 10

/**
 * Call results that mean that the keys themselves are bad. A missing permission is not one: it can
 * concern a single route.
 */
const KEY_REJECTIONS: Partial<Record<CallResult, string>> = {
  key: 'the key is wrong, expired or deleted',
  signature: 'the secret or the passphrase does not match the key',
  ip: 'the address of this gateway is not allowed for the key',
}

export interface KeyAlertsDeps {
  readonly board: AlertBoard
  readonly nowMs: () => number
}

/** Watches clients' exchange keys: rejected in use, failed in a test, about to expire. */
export function createKeyAlerts({ board, nowMs }: KeyAlertsDeps) {
  const { raise, clear, raised } = board

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

  function checkAge(row: ApiKeyListRow): void {
    const { exchange, clientId, createdAtMs } = row
    const { unboundDays } = keysOf(exchange)
    if (unboundDays !== undefined && expiresSoon(row, unboundDays, nowMs()))
      raise(
        'key.expiring',
        subjectOf(row),
        `The ${EXCHANGE_NAMES[exchange]} keys of "${clientId}" were stored ${unboundDays - WARN_DAYS_BEFORE} days ago. Keys that are not bound to an address expire after ${unboundDays} days: create new keys, bind them to the gateway's address and store them`,
        { exchange, clientId, storedAt: new Date(createdAtMs).toISOString() },
      )
    else clear('key.expiring', subjectOf(row), `The keys of "${clientId}" do not expire soon`)
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
        checkAge(row)
      }
      const storedAt = new Map(rows.map((row) => [subjectOf(row), row.createdAtMs]))
      for (const type of ['key.refused', 'key.test-failed', 'key.expiring'] as const)
        for (const { subject, raisedAtMs } of raised(type))
          if ((storedAt.get(subject) ?? Number.POSITIVE_INFINITY) > raisedAtMs)
            clear(type, subject, 'The keys were replaced or deleted')
    },
  }
}

function subjectOf({ exchange, clientId }: { exchange: ExchangeCode; clientId: string }): string {
  return `${exchange}/${clientId}`
}

/**
 * Assumes that a key is bound to no address and therefore expires, unless a test succeeded after
 * its end.
 */
function expiresSoon(
  { createdAtMs, testStatus, testedAtMs }: ApiKeyListRow,
  unboundDays: number,
  nowMs: number,
): boolean {
  const hasOutlived =
    testStatus === 'success' && (testedAtMs ?? 0) > createdAtMs + unboundDays * DAY_MS
  return nowMs - createdAtMs >= (unboundDays - WARN_DAYS_BEFORE) * DAY_MS && !hasOutlived
}
