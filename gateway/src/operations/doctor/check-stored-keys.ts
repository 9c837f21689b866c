import { setTimeout } from 'node:timers/promises'
import { type AccountKind, EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import type { Config } from '../../config.ts'
import type { ExchangeKeys, Family, UpstreamCall } from '../../exchanges/exchange.ts'
import { checkKey, type KeyCheck, keyDataOf, keysOf } from '../../exchanges/keys.ts'
import { isRejectedAs, isRejection } from '../../exchanges/protocol/rejection.ts'
import { signCall } from '../../exchanges/sign.ts'
import { readTime, timeCall } from '../../exchanges/time.ts'
import type { ApiKeyRow } from '../../store/api-key-store.ts'
import type { StoresBeside } from '../../store/stores-beside.ts'
import { withoutSecrets } from '../../upstream/redact-secrets.ts'
import { createTransport, type Transport } from '../../upstream/transport.ts'
import { UnreadableSecretError } from '../../vault/errors.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { createSealing, type Sealing } from '../../vault/sealing.ts'
import { openRow } from '../sealed-rows.ts'
import { type ExchangeCheckDeps, PATIENCE_MS } from './check-exchanges.ts'
import { about, type Finding } from './finding.ts'

const RESPONSE_BYTES_MAX = 1_048_576
/** Bitget allows this read once per second and account, and clients can share an account. */
const RATE_PAUSE_MS = 1_100

/** A client's keys for an exchange, as plain text. Never print them. */
export interface StoredKey {
  readonly clientId: string
  readonly exchange: ExchangeCode
  readonly accountKind: AccountKind | null
  readonly keys: ExchangeKeys
}

/** Opens the stored keys. `checkKeys` reports those that cannot be opened. */
export async function openStoredKeys(
  { apiKeys }: Pick<StoresBeside, 'apiKeys'>,
  ring: KeyRing,
): Promise<readonly StoredKey[]> {
  const sealing = createSealing(ring)
  const clientIds = new Map((await apiKeys.list()).map(({ id, clientId }) => [id, clientId]))
  return (await apiKeys.listSealed()).flatMap((row) => {
    const clientId = clientIds.get(row.id)
    const keys = opened(row, sealing)
    if (clientId === undefined || keys === undefined) return []
    return [{ clientId, exchange: row.exchange, accountKind: row.accountKind, keys }]
  })
}

function opened(row: ApiKeyRow, sealing: Pick<Sealing, 'open'>): ExchangeKeys | undefined {
  try {
    const { passphrase, ...keys } = openRow(row, sealing)
    return { ...keys, ...(passphrase === null ? {} : { passphrase }) }
  } catch (error) {
    if (error instanceof UnreadableSecretError) return undefined
    throw error
  }
}

/**
 * Asks each exchange about each stored key, by one signed read after another: what it may do, from
 * where, and how long.
 */
export async function* checkStoredKeys(
  stored: readonly StoredKey[],
  { upstream }: Pick<Config, 'upstream'>,
  { nowMs, timeoutMs = PATIENCE_MS }: ExchangeCheckDeps,
): AsyncGenerator<Finding, void> {
  const transport = createTransport({
    origins: upstream,
    timeoutMs,
    maxResponseBytes: RESPONSE_BYTES_MAX,
  })
  const clock = createClock(transport, nowMs)
  try {
    for (const exchange of EXCHANGES) {
      const keys = stored.filter((key) => key.exchange === exchange)
      yield* checkAll(exchange, keys, transport, clock)
    }
  } finally {
    await transport.close()
  }
}

type Clock = (family: Family) => Promise<number>

/**
 * Stops at the first call without a usable response, because the others would wait as long; and at
 * a rate limit that stays, because a ban would be that of the gateway, whose address this is.
 */
async function* checkAll(
  exchange: ExchangeCode,
  keys: readonly StoredKey[],
  transport: Transport,
  clock: Clock,
): AsyncGenerator<Finding, void> {
  const { ok, warn } = about(`${EXCHANGE_NAMES[exchange]} key`)
  for (const [index, key] of keys.entries()) {
    const name = `"${key.clientId}"`
    try {
      const found = await checkOne(key, transport, clock)
      const words = `${name}: ${describe(found)}`
      yield found.warnings.length === 0 ? ok(words) : warn(words, found.warnings.join(' '))
    } catch (error) {
      yield warn(`${name}: ${messageOf(error)}`, ADVICE)
      const left = keys.length - index - 1
      const isOfTheKey = isRejection(error) && !isRejectedAs(error, 'rate')
      if (isOfTheKey || left === 0) continue
      yield warn(
        `${left} more were not checked`,
        'Run the doctor again once the exchange responds.',
      )
      return
    }
  }
}

async function checkOne(
  { exchange, accountKind, keys }: StoredKey,
  transport: Transport,
  clock: Clock,
): Promise<KeyCheck> {
  const ask = async (call: UpstreamCall) => {
    const signed = signCall(call, keys, await clock(call.family))
    const response = await transport.send(call.family, signed)
    return keyDataOf(call, withoutSecrets(response, keys, signed))
  }
  const check = (kind: AccountKind | null) => checkKey(keysOf(exchange), kind, ask)
  try {
    return await check(accountKind)
  } catch (error) {
    // The account is of the other kind, or was migrated since the gateway last saw it.
    if (isRejectedAs(error, 'account-kind'))
      return check(accountKind === 'unified' ? 'classic' : 'unified')
    if (!isRejectedAs(error, 'rate')) throw error
    await setTimeout(RATE_PAUSE_MS)
    return check(accountKind)
  }
}

const ADVICE =
  'Test the keys at the console. A key that is bound to addresses has to be tested on the machine of the gateway.'

function describe({ permissions, ipBinding, daysLeft }: KeyCheck): string {
  return [
    permissions.length === 0 ? 'no permissions are reported' : permissions.join(', '),
    ...(ipBinding === null || ipBinding.length === 0 ? [] : [`bound to ${ipBinding.join(', ')}`]),
    ...(typeof daysLeft === 'number'
      ? [`expires in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}`]
      : []),
    ...(daysLeft === null ? ['does not expire'] : []),
  ].join('; ')
}

/** The exchange's time, measured once for each API. */
function createClock(transport: Transport, nowMs: () => number): Clock {
  const offsets = new Map<Family, Promise<number>>()
  const measure = async (family: Family) => {
    const response = await transport.send(family, signCall(timeCall(family), null, nowMs()))
    const timeMs = readTime(family, response)
    // Without it, the machine's own clock may be good enough.
    return timeMs === undefined ? 0 : timeMs + response.upstreamMs / 2 - nowMs()
  }
  return async (family) => {
    const offset = offsets.get(family) ?? measure(family)
    offsets.set(family, offset)
    return Math.round(nowMs() + (await offset))
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
