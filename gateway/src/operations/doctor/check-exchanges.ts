import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import type { Config } from '../../config.ts'
import type { KeyCheck } from '../../exchanges/adapter.ts'
import type { ExchangeKeys, Family } from '../../exchanges/exchange.ts'
import { adapters } from '../../exchanges/registry.ts'
import type { ApiKeyRow } from '../../store/api-key-store.ts'
import type { StoresBeside } from '../../store/stores.ts'
import { UnreadableSecretError } from '../../vault/errors.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { createSealing, type Sealing } from '../../vault/sealing.ts'
import { CallFailedError, type CommandCalls, type StoredKey } from '../command-calls.ts'
import { openRow } from '../sealed-rows.ts'
import type { FeedFound } from '../try-feeds.ts'
import { about, type Finding } from './finding.ts'

/**
 * With a larger drift, the exchange rejects some signatures. Orders are signed with the exchange's
 * own time and are not affected.
 */
const DRIFT_WARN_MS = 1_000
/** With this much, tokens expire early or last longer, and certificates may seem invalid. */
const DRIFT_FAIL_MS = 30_000

/** Says who makes the calls to the exchanges, and how fast. */
export async function checkWay(
  calls: Pick<CommandCalls, 'isGatewaySending'>,
  { lane }: Pick<Config, 'lane'>,
): Promise<Finding> {
  const { ok } = about('exchange calls')
  return (await calls.isGatewaySending())
    ? ok('the running gateway makes them, each in a free slot of its queue')
    : ok(
        `no gateway is running: the doctor makes them, at most ${lane.ratePerSecond} a second to each exchange`,
      )
}

/** Asks each exchange for its time, with one public call each, one after another. */
export async function* checkExchanges(
  calls: Pick<CommandCalls, 'timeOf'>,
  { upstream }: Pick<Config, 'upstream'>,
): AsyncGenerator<Finding, void> {
  for (const { family } of adapters.all) yield* checkOne(calls, family, upstream[family])
}

async function* checkOne(
  calls: Pick<CommandCalls, 'timeOf'>,
  family: Family,
  origin: string,
): AsyncGenerator<Finding, void> {
  const { ok, warn, fail } = about(adapters.of(family).title)
  try {
    const { status, upstreamMs, aheadMs } = await calls.timeOf(family)
    if (aheadMs === null)
      return yield fail(
        `${origin} responded with ${status} instead of its time`,
        'Exchanges block addresses of some countries and cloud providers: try another outgoing address. Or the exchange is down, or this is not an exchange.',
      )
    yield ok(`${origin} responded in ${upstreamMs} ms`)
    yield checkClock(family, aheadMs)
  } catch (error) {
    if (!(error instanceof CallFailedError)) throw error
    const { cause, message, isUnasked } = error.why
    if (isUnasked) return yield warn(`${origin} was not asked: ${message}`, UNASKED_ADVICE)
    const advice = CERTIFICATE.test(cause) ? CERTIFICATE_ADVICE : UNREACHABLE_ADVICE
    yield fail(`${origin} cannot be reached: ${cause}`, advice)
  }
}

const UNASKED_ADVICE =
  'The queue of the gateway lets no call through: the page Operations of the console says why.'
const UNREACHABLE_ADVICE =
  'Check the name, the internet connection of this machine and its firewall. The gateway starts anyway and connects once the exchange can be reached.'

/** The codes with which Node rejects a certificate. */
const CERTIFICATE = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/
const CERTIFICATE_ADVICE =
  'The certificate that came is not accepted, so nothing was sent. Check the clock of this machine, then who ends TLS on the way (a proxy of your network), and NODE_EXTRA_CA_CERTS. Never switch the check off.'

function checkClock(family: Family, aheadMs: number): Finding {
  const { ok, warn, fail } = about('clock')
  const found = `${adapters.of(family).title} is ${Math.abs(Math.round(aheadMs))} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} the machine that asked`
  if (Math.abs(aheadMs) <= DRIFT_WARN_MS) return ok(found)
  return (Math.abs(aheadMs) > DRIFT_FAIL_MS ? fail : warn)(
    found,
    'Synchronise the clock by NTP. Orders use the exchange’s clock; the log and the tokens use this machine’s.',
  )
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
      yield { ...warn(`${name}: ${error.message}`, KEYS_ADVICE), progress }
      const left = keys.length - index - 1
      if (error.why.isOfTheKey || left === 0) continue
      yield warn(`${left} more were not checked`, AGAIN_ADVICE)
      return
    }
  }
}

const KEYS_ADVICE =
  'Test the keys at the console. A key that is bound to addresses has to be tested on the machine of the gateway.'

/**
 * Opens and closes the private WebSockets of each stored key, one after another. Of a feed that
 * cannot be reached it tries no more: the others would wait as long.
 */
export async function* checkStreams(
  calls: Pick<CommandCalls, 'tryFeeds'>,
  { accountStreams, sockets }: Pick<Config, 'accountStreams' | 'sockets'>,
  stored: readonly StoredKey[],
): AsyncGenerator<Finding, void> {
  if (!accountStreams)
    return yield about('streams').ok('ACCOUNT_STREAMS is off: no account is listened to')
  const hosts = [...new Set(Object.values(sockets))].join(', ')
  for (const exchange of EXCHANGES) {
    const { ok, warn } = about(`${EXCHANGE_NAMES[exchange]} streams`)
    const keys = stored.filter((key) => key.exchange === exchange)
    for (const [index, key] of keys.entries()) {
      const progress = `${index + 1} of ${keys.length} keys`
      const found = await calls.tryFeeds(key).catch((error: unknown) => {
        if (!(error instanceof CallFailedError)) throw error
        return error
      })
      if (found instanceof CallFailedError) {
        yield { ...warn(`"${key.clientId}": ${found.message}`, KEYS_ADVICE), progress }
        if (found.why.isOfTheKey) continue
        return
      }
      const failed = found.filter(({ reason }) => reason !== null)
      const names = found.map(({ feed }) => feed).join(', ')
      if (found.length === 0)
        yield { ...warn(`"${key.clientId}": ${NO_FEED}`, KEYS_ADVICE), progress }
      else if (failed.length === 0)
        yield { ...ok(`"${key.clientId}": ${names} signed in and subscribed`), progress }
      for (const feed of failed)
        yield { ...warn(`"${key.clientId}": ${wordsOf(feed)}`, adviceOf(feed, hosts)), progress }
      if (failed.some(({ reason }) => reason === 'unreachable') && index < keys.length - 1) {
        yield warn(`${keys.length - index - 1} more were not tried`, AGAIN_ADVICE)
        break
      }
    }
  }
}

const NO_FEED = 'the kind of its account is not known, so no WebSocket was tried'
const AGAIN_ADVICE = 'Run the doctor again once the exchange responds.'

function wordsOf({ feed, reason, detail, refused }: FeedFound): string {
  const more = [detail, ...refused].filter((text) => text !== '').join(', ')
  return `${feed}: ${reason}${more === '' ? '' : ` (${more})`}`
}

function adviceOf({ reason }: FeedFound, hosts: string): string {
  if (reason === 'login refused')
    return 'Test the keys at the console: they need the permission to read, and the address of the gateway. Orders may still work; bots get events late.'
  if (reason === 'not subscribed')
    return 'The exchange allows the key less than the feed needs: give it the permission to read spot and futures.'
  return `Allow connections to ${hosts} in the firewall, and in a proxy on the way: they are WebSockets that stay open. Orders work without them; bots get events late.`
}

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
