import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import { keysOf } from '../exchanges/keys.ts'
import type { ApiKeyListRow } from '../store/api-key-store.ts'
import type { CallReport, CallResult } from '../upstream/call-report.ts'
import type { AlertBoard } from './alert-board.ts'

const DAY_MS = 86_400_000
/** Raised so long before a key ends that is bound to no address. */
const WARN_DAYS_BEFORE = 10

/** What an exchange says against the keys themselves; a missing permission can be about one route alone. */
const REFUSALS: Partial<Record<CallResult, string>> = {
  key: 'the key is wrong, expired or deleted',
  signature: 'the secret or the passphrase does not match the key',
  ip: 'the address of this gateway is not allowed for the key',
}

export interface KeyAlertsDeps {
  readonly board: AlertBoard
  readonly nowMs: () => number
}

/** What becomes of clients' exchange keys: refused in use, failed in a test, about to expire. */
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
    /** Takes note of how a client's own signed call went. */
    called({ exchange, call, context, result }: CallReport): void {
      if (!call.signed || context === undefined || context.byAdmin === true) return
      const { clientId } = context
      const subject = subjectOf({ exchange, clientId })
      const why = REFUSALS[result]
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

    /** Looks at all keys as they are stored: what was replaced or deleted is no longer the matter. */
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

/** A key is most probably not bound to an address, unless a test after its end went well. */
function expiresSoon(
  { createdAtMs, testStatus, testedAtMs }: ApiKeyListRow,
  unboundDays: number,
  nowMs: number,
): boolean {
  const hasOutlived =
    testStatus === 'success' && (testedAtMs ?? 0) > createdAtMs + unboundDays * DAY_MS
  return nowMs - createdAtMs >= (unboundDays - WARN_DAYS_BEFORE) * DAY_MS && !hasOutlived
}
