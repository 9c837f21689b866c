import { type AccountKind, EXCHANGE_NAMES, type ExchangeCode, type TestResult } from 'schema'
import { checkKey, expiryOf, type KeyCheck, keysOf } from '../../exchanges/keys.ts'
import { isRejection } from '../../exchanges/protocol/rejection.ts'
import type { ApiKeyRow, ApiKeyStore } from '../../store/api-key-store.ts'
import type { Author, NewAuditEntry } from '../../store/audit-chain.ts'
import type { AuditStore } from '../../store/audit-store.ts'
import type { ClientStore } from '../../store/client-store.ts'
import type { ExchangeClock } from '../../upstream/clock.ts'
import { createTimings } from '../../upstream/request-context.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { aboutClient } from './audit-facts.ts'
import { ApiKeyNotFoundError, ClientNotFoundError } from './errors.ts'

/** With a larger drift, the exchange rejects some signatures. */
const CLOCK_DRIFT_WARN_MS = 1000

export interface KeyTestServiceDeps {
  readonly clients: Pick<ClientStore, 'findByClientId'>
  readonly apiKeys: Pick<
    ApiKeyStore,
    'find' | 'setTestResult' | 'setExpiry' | 'setCanWithdraw' | 'setAccountUid'
  >
  readonly upstreams: Readonly<
    Record<ExchangeCode, Pick<Upstream, 'ask' | 'inAccountKind' | 'accountKindOf'>>
  >
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'offsetMs'>>>
  readonly audit: Pick<AuditStore, 'append'>
  readonly nowMs: () => number
}

export interface KeyTestWish {
  readonly clientId: string
  readonly exchange: ExchangeCode
  readonly requestId: string
  readonly signal: AbortSignal
  readonly author: Author
}

/** Tests a client's keys with a signed read at the exchange, and stores the result. */
export class KeyTestService {
  readonly #deps: KeyTestServiceDeps

  constructor(deps: KeyTestServiceDeps) {
    this.#deps = deps
  }

  /**
   * @throws ClientNotFoundError, ApiKeyNotFoundError, and what prevented the test: a full queue
   * says nothing about the keys
   */
  async test(wish: KeyTestWish): Promise<TestResult> {
    const { clients, apiKeys, clocks } = this.#deps
    const { clientId, exchange } = wish
    const name = EXCHANGE_NAMES[exchange]
    const client = await clients.findByClientId(clientId)
    if (client === undefined) throw new ClientNotFoundError(clientId)
    const keys = await apiKeys.find(client.id, exchange)
    if (keys === undefined) throw new ApiKeyNotFoundError(name, clientId)
    try {
      const check = await this.#check(wish, client.id)
      const expiresAtMs = await this.#rememberExpiry(keys, check)
      const canWithdraw = await this.#rememberWithdrawal(keys, check)
      if (check.accountUid !== undefined && check.accountUid !== keys.accountUid)
        await apiKeys.setAccountUid(keys.id, check.accountUid)
      const accountKind = await this.#accountKind(wish, client.id)
      const learned = { accountKind, expiresAtMs, canWithdraw }
      const result = toSuccess(wish, check, learned, clocks[exchange].offsetMs())
      const warnings = result.warnings.join(' ')
      await this.#remember(wish, keys.id, 'success', warnings === '' ? null : warnings)
      return result
    } catch (error) {
      if (!saysSomethingAboutKeys(error)) {
        await this.#deps.audit.append(entryOf(wish, 'not-tested', messageOf(error)))
        throw error
      }
      await this.#remember(wish, keys.id, 'failure', error.message)
      // The exchange shows the kind of the account before it checks the key.
      const learned = {
        accountKind: await this.#accountKind(wish, client.id),
        expiresAtMs: keys.expiresAtMs,
        canWithdraw: keys.canWithdraw,
      }
      return toTestFailure(wish, error.message, learned)
    }
  }

  /** The kind of the account as last seen, in this test or before it. */
  #accountKind({ exchange }: KeyTestWish, clientRef: number): Promise<AccountKind | null> {
    return this.#deps.upstreams[exchange].accountKindOf({ clientRef })
  }

  /** Reads what the exchange knows of the keys. */
  #check(wish: KeyTestWish, clientRef: number): Promise<KeyCheck> {
    const upstream = this.#deps.upstreams[wish.exchange]
    const context = {
      requestId: wish.requestId,
      method: 'POST',
      endpoint: '/api/admin/test-credentials',
      clientRef,
      clientId: wish.clientId,
      signal: wish.signal,
      byAdmin: true,
      timings: createTimings(),
    }
    return upstream.inAccountKind(context, (kind) =>
      checkKey(keysOf(wish.exchange), kind, (call) => upstream.ask(context, call, asItIs)),
    )
  }

  /** @returns when the keys expire, Unix ms; null when they do not, or when that is unknown */
  async #rememberExpiry(keys: ApiKeyRow, { daysLeft }: KeyCheck): Promise<number | null> {
    if (daysLeft === undefined) return keys.expiresAtMs
    const { apiKeys, nowMs } = this.#deps
    const expiresAtMs = expiryOf(daysLeft, nowMs(), keys.expiresAtMs)
    await apiKeys.setExpiry(keys.id, { expiresAtMs, readAtMs: nowMs() })
    return expiresAtMs
  }

  /** @returns whether the keys may withdraw, as last reported; null when that is unknown */
  async #rememberWithdrawal(keys: ApiKeyRow, { canWithdraw }: KeyCheck): Promise<boolean | null> {
    if (canWithdraw === null) return keys.canWithdraw
    await this.#deps.apiKeys.setCanWithdraw(keys.id, canWithdraw)
    return canWithdraw
  }

  async #remember(
    wish: KeyTestWish,
    keysId: number,
    status: 'success' | 'failure',
    message: string | null,
  ): Promise<void> {
    const { apiKeys, nowMs } = this.#deps
    const result = { status, message: message?.slice(0, 500) ?? null, testedAtMs: nowMs() }
    await apiKeys.setTestResult(keysId, result, entryOf(wish, status, result.message))
  }
}

const asItIs = (data: unknown) => data

/** The audit entry of a test. */
function entryOf(
  { author, clientId, exchange }: KeyTestWish,
  testStatus: string,
  message: string | null,
): NewAuditEntry {
  const after = { exchange, testStatus, message }
  return aboutClient(author, clientId, { action: 'exchange-keys.tested', after })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : 'unknown error'
}

interface Learned {
  readonly accountKind: AccountKind | null
  readonly expiresAtMs: number | null
  readonly canWithdraw: boolean | null
}

function toSuccess(
  { clientId, exchange }: KeyTestWish,
  check: KeyCheck,
  { accountKind, expiresAtMs, canWithdraw }: Learned,
  clockOffsetMs: number,
): TestResult {
  const name = EXCHANGE_NAMES[exchange]
  return {
    clientId,
    exchange,
    success: true,
    testStatus: 'success',
    message: `${name} accepted the keys.`,
    warnings: [...check.warnings, ...clockWarning(name, clockOffsetMs)],
    permissions: [...check.permissions],
    canWithdraw,
    ipBinding: check.ipBinding === null ? null : [...check.ipBinding],
    expiresAt: toTimestamp(expiresAtMs),
    accountKind,
    clockOffsetMs,
  }
}

function toTestFailure(
  { clientId, exchange }: KeyTestWish,
  message: string,
  { accountKind, expiresAtMs, canWithdraw }: Learned,
): TestResult {
  return {
    clientId,
    exchange,
    success: false,
    testStatus: 'failure',
    message,
    warnings: [],
    permissions: [],
    canWithdraw,
    ipBinding: null,
    expiresAt: toTimestamp(expiresAtMs),
    accountKind,
    clockOffsetMs: null,
  }
}

function toTimestamp(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString()
}

function clockWarning(name: string, offsetMs: number): string[] {
  if (Math.abs(offsetMs) <= CLOCK_DRIFT_WARN_MS) return []
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1)
  return [
    `The clock of this machine is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} ${name}'s; requests are signed with ${name}'s time, but correct the clock of this machine.`,
  ]
}

/** True for a rejection by the exchange, and for keys that cannot be opened. */
function saysSomethingAboutKeys(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error)) return false
  return isRejection(error) || error.code === 'EXCHANGE_KEYS_UNREADABLE'
}
