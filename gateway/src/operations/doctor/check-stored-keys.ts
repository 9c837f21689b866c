import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import type { KeyCheck } from '../../exchanges/adapter.ts'
import type { ExchangeKeys } from '../../exchanges/exchange.ts'
import type { ApiKeyRow } from '../../store/api-key-store.ts'
import type { StoresBeside } from '../../store/stores.ts'
import { UnreadableSecretError } from '../../vault/errors.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { createSealing, type Sealing } from '../../vault/sealing.ts'
import { CallFailedError, type CommandCalls, type StoredKey } from '../command-calls.ts'
import { openRow } from '../sealed-rows.ts'
import { about, type Finding } from './finding.ts'

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
    const { id, exchange, accountKind } = row
    return [{ id, clientId, exchange, accountKind, keys }]
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
  calls: Pick<CommandCalls, 'check'>,
  stored: readonly StoredKey[],
): AsyncGenerator<Finding, void> {
  for (const exchange of EXCHANGES) {
    const keys = stored.filter((key) => key.exchange === exchange)
    yield* checkAll(calls, exchange, keys)
  }
}

/**
 * Stops at the first call without a usable response, because the others would wait as long; and at
 * a rate limit that stays, because a ban would be that of the gateway, whose address this is.
 */
async function* checkAll(
  calls: Pick<CommandCalls, 'check'>,
  exchange: ExchangeCode,
  keys: readonly StoredKey[],
): AsyncGenerator<Finding, void> {
  const { ok, warn } = about(`${EXCHANGE_NAMES[exchange]} key`)
  for (const [index, key] of keys.entries()) {
    const name = `"${key.clientId}"`
    const progress = `${index + 1} of ${keys.length} keys`
    try {
      const found = await calls.check(key)
      const words = `${name}: ${describe(found)}`
      const isGood = found.warnings.length === 0
      yield { ...(isGood ? ok(words) : warn(words, found.warnings.join(' '))), progress }
    } catch (error) {
      if (!(error instanceof CallFailedError)) throw error
      yield { ...warn(`${name}: ${error.message}`, ADVICE), progress }
      const left = keys.length - index - 1
      if (error.why.isOfTheKey || left === 0) continue
      yield warn(
        `${left} more were not checked`,
        'Run the doctor again once the exchange responds.',
      )
      return
    }
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
