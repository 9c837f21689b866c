import { createError } from '@fastify/error'
import {
  type AccountKind,
  EXCHANGE_NAMES,
  type ExchangeCode,
  type NewApiKey,
  type TestResult,
  testApiKey,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import type { KeyCheck } from '../../exchanges/adapter.ts'
import { checkKey, expiryOf, keysOf } from '../../exchanges/keys.ts'
import { isRejectedAs, isRejection } from '../../exchanges/protocol/rejection.ts'
import { actsWith, type By } from '../../http/act.ts'
import type { ApiKeyRow } from '../../store/api-key-store.ts'
import { createTimings } from '../../upstream/request-context.ts'
import { findNamedClient, ofClient } from './clients.ts'

export const ApiKeyNotFoundError = createError<[exchange: string, clientId: string]>(
  'API_KEY_NOT_FOUND',
  'No %s keys are stored for the client "%s"',
  404,
)

/** With a larger drift, the exchange rejects some signatures. */
const CLOCK_DRIFT_WARN_MS = 1000
/** How long saving keys waits for the exchange. */
const WAIT_MS = 5_000

export type KeyParts = Pick<
  Parts,
  'stores' | 'vault' | 'exchanges' | 'events' | 'time' | 'nowMs' | 'newKeyWaitMs'
>

const act = actsWith<KeyParts>()

/** Tests a client's keys with a signed read at the exchange, and stores the result. */
export const testKeys = act(testApiKey, {
  entries: ['exchange-keys.tested'],
  /**
   * @throws ClientNotFoundError, ApiKeyNotFoundError, and what prevented the test: a full queue
   * says nothing about the keys
   */
  async run({ body: { clientId, exchange } }, by, parts) {
    const { clients, apiKeys } = parts.stores
    const client = await findNamedClient(clients, clientId)
    const keys = await apiKeys.find(client.id, exchange)
    if (keys === undefined) throw new ApiKeyNotFoundError(EXCHANGE_NAMES[exchange], clientId)
    const result = await testStored(parts, keys, { clientId, by })
    by.log('exchange keys tested', { clientId, exchange, testStatus: result.testStatus })
    return result
  },
})

interface KeyTest {
  readonly clientId: string
  readonly by: By<'exchange-keys.tested'>
}

async function testStored(parts: KeyParts, keys: ApiKeyRow, test: KeyTest): Promise<TestResult> {
  const { stores, exchanges } = parts
  const { clientId } = test
  const { exchange } = keys
  try {
    const check = await readKeys(parts, keys, test)
    const expiresAtMs = await rememberExpiry(parts, keys, check)
    const canWithdraw = await rememberWithdrawal(parts, keys, check)
    if (check.accountUid !== undefined && check.accountUid !== keys.accountUid)
      await stores.apiKeys.setAccountUid(keys.id, check.accountUid)
    const learned = { accountKind: await accountKindOf(parts, keys), expiresAtMs, canWithdraw }
    const offsetMs = exchanges.clocks[exchange].offsetMs()
    const result = toSuccess({ clientId, exchange }, check, learned, offsetMs)
    const warnings = result.warnings.join(' ')
    await remember(parts, keys, test, ['success', warnings === '' ? null : warnings])
    parts.events.emit('keysAccepted', { exchange, clientRef: keys.clientRef })
    return result
  } catch (error) {
    if (!saysSomethingAboutKeys(error)) {
      await stores.audit.append(entryOf(test, exchange, 'not-tested', messageOf(error)))
      throw error
    }
    await remember(parts, keys, test, ['failure', error.message])
    // The exchange shows the kind of the account before it checks the key.
    const accountKind = await accountKindOf(parts, keys)
    const { expiresAtMs, canWithdraw } = keys
    const learned = { accountKind, expiresAtMs, canWithdraw }
    return toTestFailure({ clientId, exchange }, error.message, learned)
  }
}

/** The kind of the account as last seen, in this test or before it. */
function accountKindOf(
  { exchanges }: KeyParts,
  { exchange, clientRef }: ApiKeyRow,
): Promise<AccountKind | null> {
  return exchanges.upstreams[exchange].accountKindOf({ clientRef })
}

/** Reads what the exchange knows of stored keys. */
function readKeys(
  { exchanges }: KeyParts,
  { exchange, clientRef }: ApiKeyRow,
  { clientId, by }: KeyTest,
): Promise<KeyCheck> {
  const upstream = exchanges.upstreams[exchange]
  const context = {
    requestId: by.request.id,
    method: 'POST',
    endpoint: '/api/admin/test-credentials',
    clientRef,
    clientId,
    signal: by.hangUp(),
    byAdmin: true,
    timings: createTimings(),
  }
  return upstream.inAccountKind(context, (kind) =>
    checkKey(keysOf(exchange), kind, (call) => upstream.ask(context, call, asItIs)),
  )
}

const asItIs = (data: unknown) => data

/** @returns when the keys expire, Unix ms; null when they do not, or when that is unknown */
async function rememberExpiry(
  { stores, nowMs }: KeyParts,
  keys: ApiKeyRow,
  { daysLeft }: KeyCheck,
): Promise<number | null> {
  if (daysLeft === undefined) return keys.expiresAtMs
  const expiresAtMs = expiryOf(daysLeft, nowMs(), keys.expiresAtMs)
  await stores.apiKeys.setExpiry(keys.id, { expiresAtMs, readAtMs: nowMs() })
  return expiresAtMs
}

/** @returns whether the keys may withdraw, as last reported; null when that is unknown */
async function rememberWithdrawal(
  { stores }: KeyParts,
  keys: ApiKeyRow,
  { canWithdraw }: KeyCheck,
): Promise<boolean | null> {
  if (canWithdraw === null) return keys.canWithdraw
  await stores.apiKeys.setCanWithdraw(keys.id, canWithdraw)
  return canWithdraw
}

async function remember(
  { stores, nowMs }: KeyParts,
  { id, exchange }: ApiKeyRow,
  test: KeyTest,
  [status, message]: readonly [status: 'success' | 'failure', message: string | null],
): Promise<void> {
  const result = { status, message: message?.slice(0, 500) ?? null, testedAtMs: nowMs() }
  const entry = entryOf(test, exchange, status, result.message)
  await stores.apiKeys.setTestResult(id, result, entry)
}

function entryOf(
  { by, clientId }: KeyTest,
  exchange: ExchangeCode,
  testStatus: string,
  message: string | null,
) {
  const after = { exchange, testStatus, message }
  return by.entry({ action: 'exchange-keys.tested', ...ofClient(clientId), after })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : 'unknown error'
}

/** True for a rejection by the exchange, and for keys that cannot be opened. */
function saysSomethingAboutKeys(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error)) return false
  return isRejection(error) || error.code === 'EXCHANGE_KEYS_UNREADABLE'
}

type Tested = Pick<TestResult, 'clientId' | 'exchange'>

interface Learned {
  readonly accountKind: AccountKind | null
  readonly expiresAtMs: number | null
  readonly canWithdraw: boolean | null
}

function toSuccess(
  tested: Tested,
  check: KeyCheck,
  { accountKind, expiresAtMs, canWithdraw }: Learned,
  clockOffsetMs: number,
): TestResult {
  const name = EXCHANGE_NAMES[tested.exchange]
  return {
    ...tested,
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
  tested: Tested,
  message: string,
  { accountKind, expiresAtMs, canWithdraw }: Learned,
): TestResult {
  return {
    ...tested,
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

interface NewKeyWish {
  readonly clientRef: number
  readonly requestId: string
  readonly keys: Pick<NewApiKey, 'clientId' | 'exchange' | 'apiKey' | 'apiSecret' | 'passphrase'>
}

/** What the exchange says of keys that are not stored yet. */
export interface NewKeyFacts {
  /** Null when it is unknown whether the keys may withdraw. */
  readonly canWithdraw: boolean | null
  /** Why it is unknown. */
  readonly why?: string
  /** As in KeyCheck. */
  readonly accountUid?: string | undefined
}

/**
 * What keys may do, and whose they are, before they are stored. It is unknown when the exchange
 * does not say it, rejects the keys, is stopped or down, or takes too long: the keys are stored
 * anyway, and a test finds it out later.
 */
export async function newKeyFacts(parts: KeyParts, wish: NewKeyWish): Promise<NewKeyFacts> {
  const { time, newKeyWaitMs = WAIT_MS } = parts
  if (newKeyWaitMs === 0) return { canWithdraw: null, why: 'The exchange was not asked' }
  const tooLate = new AbortController()
  const late = Promise.withResolvers<NewKeyFacts>()
  const timer = time.setTimeout(() => {
    tooLate.abort()
    late.resolve({ canWithdraw: null, why: `No response within ${newKeyWaitMs} ms` })
  }, newKeyWaitMs)
  const asked = askAboutNew(parts, wish, tooLate.signal).catch((error: unknown) => ({
    canWithdraw: null,
    why: error instanceof Error ? error.message : String(error),
  }))
  return Promise.race([asked, late.promise]).finally(() => timer.cancel())
}

async function askAboutNew(
  { exchanges: { upstreams } }: KeyParts,
  { clientRef, requestId, keys }: NewKeyWish,
  signal: AbortSignal,
): Promise<NewKeyFacts> {
  const { clientId, exchange, apiKey, apiSecret, passphrase = '' } = keys
  const endpoint = '/api/admin/client-api-keys'
  const timings = createTimings()
  const context = { requestId, method: 'POST', endpoint, clientRef, clientId, signal, timings }
  const opened = { apiKey, apiSecret, ...(passphrase === '' ? {} : { passphrase }) }
  const check = (kind: 'unified' | null) =>
    checkKey(keysOf(exchange), kind, (call) =>
      upstreams[exchange].askWithKeys(context, call, opened),
    )
  const { canWithdraw, accountUid } = await check(null).catch((error: unknown) => {
    if (isRejectedAs(error, 'account-kind')) return check('unified')
    throw error
  })
  return canWithdraw === null
    ? { canWithdraw, accountUid, why: 'The exchange does not say it' }
    : { canWithdraw, accountUid }
}
