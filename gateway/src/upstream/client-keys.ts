import { createHmac, randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AccountKind, EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import { type ExchangeKeys, eachExchange } from '../exchanges/exchange.ts'
import { type ApiKeyRow, type ApiKeyStore, accountRefOf } from '../store/api-key-store.ts'
import type { Time, Timer } from '../time.ts'
import { UnreadableSecretError } from '../vault/errors.ts'
import type { Sealing } from '../vault/sealing.ts'
import { ExchangeKeysMissingError, ExchangeKeysUnreadableError } from './errors.ts'
import { Turns } from './in-turn.ts'

export interface OpenKeys {
  /** The id of their row, which changes when they are replaced. */
  readonly rowId: number
  /** As `accountRefOf`. */
  readonly accountRef: number
  readonly keys: ExchangeKeys
  /** Null while it is unknown, and where all accounts are of one kind. */
  readonly accountKind: AccountKind | null
}

/** How long opened keys are kept in memory; their row is read for each call. */
const OPENED_MS = 5_000

interface Opened {
  /** What the keys were opened from. */
  readonly row: ApiKeyRow
  readonly keys: ExchangeKeys
  readonly timer: Timer
}

/** A client's exchange keys: looked up when a request arrives, opened only when it is sent. */
export class ClientKeys {
  readonly #apiKeys: Pick<ApiKeyStore, 'find' | 'listSealedAfter' | 'setAccountKind'>
  readonly #sealing: Pick<Sealing, 'open'>
  readonly #time: Pick<Time, 'setTimeout'>
  readonly #shared: SharedKeys
  readonly #opened = new Map<number, Opened>()
  /** Made for this process, so that nothing in its memory can be compared with keys later. */
  readonly #hashKey = randomBytes(32)
  /** By the id of the keys: what could not be stored yet. */
  readonly #unstoredKinds = new Map<number, AccountKind>()

  constructor(
    apiKeys: Pick<ApiKeyStore, 'find' | 'listSealedAfter' | 'setAccountKind'>,
    sealing: Pick<Sealing, 'open'>,
    time: Pick<Time, 'setTimeout'>,
  ) {
    this.#apiKeys = apiKeys
    this.#sealing = sealing
    this.#time = time
    this.#shared = new SharedKeys(apiKeys, sealing)
  }

  /** The id of the row of the client's current keys: it changes whenever they are replaced. */
  async rowIdOf(clientRef: number, exchange: ExchangeCode, sinceMs?: number): Promise<number> {
    return (await this.#find(clientRef, exchange, sinceMs)).id
  }

  /**
   * The account of the client's current keys, as `accountRefOf`: it changes when they are replaced
   * by keys that may be of another account.
   * @param sinceMs as for ClientStore.find
   * @throws ExchangeKeysMissingError
   */
  async accountRefOf(clientRef: number, exchange: ExchangeCode, sinceMs?: number): Promise<number> {
    return accountRefOf(await this.#find(clientRef, exchange, sinceMs))
  }

  /**
   * The kind of the account, as the exchange last showed it; null while that is unknown.
   * @param sinceMs as for ClientStore.find
   * @throws ExchangeKeysMissingError
   */
  async accountKindOf(
    clientRef: number,
    exchange: ExchangeCode,
    sinceMs?: number,
  ): Promise<AccountKind | null> {
    return this.#kindOf(await this.#find(clientRef, exchange, sinceMs))
  }

  /**
   * Remembers the kind of account that keys belong to. While it cannot be stored, it is kept in
   * memory.
   * @throws StoreUnwritableError
   */
  async setAccountKind(id: number, kind: AccountKind): Promise<void> {
    this.#unstoredKinds.set(id, kind)
    await this.#apiKeys.setAccountKind(id, kind)
    this.#unstoredKinds.delete(id)
  }

  /** As `SharedKeys.othersWithKeyOf`. */
  othersWithKeyOf(clientRef: number, exchange: ExchangeCode): Promise<number[]> {
    return this.#shared.othersWithKeyOf(clientRef, exchange)
  }

  /**
   * @param sinceMs as for ClientStore.find
   * @throws ExchangeKeysMissingError, ExchangeKeysUnreadableError
   */
  async open(clientRef: number, exchange: ExchangeCode, sinceMs?: number): Promise<OpenKeys> {
    const row = await this.#find(clientRef, exchange, sinceMs)
    const { id } = row
    const known = this.#opened.get(id)
    const keys = known !== undefined && isSealedAs(known.row, row) ? known.keys : this.#open(row)
    if (keys !== known?.keys) {
      known?.timer.cancel()
      const timer = this.#time.setTimeout(() => this.#opened.delete(id), OPENED_MS).unref()
      this.#opened.set(id, { row, keys, timer })
    }
    return { rowId: id, accountRef: accountRefOf(row), keys, accountKind: this.#kindOf(row) }
  }

  /** Equal for all clients with the same keys; it says nothing of them. */
  digestOf({ apiKey, apiSecret, passphrase }: ExchangeKeys): string {
    const text = JSON.stringify([apiKey, apiSecret, passphrase])
    return createHmac('sha256', this.#hashKey).update(text).digest('base64')
  }

  #kindOf({ id, accountKind }: ApiKeyRow): AccountKind | null {
    return this.#unstoredKinds.get(id) ?? accountKind
  }

  async #find(
    clientRef: number,
    exchange: ExchangeCode,
    sinceMs: number | undefined,
  ): Promise<ApiKeyRow> {
    const row = await this.#apiKeys.find(clientRef, exchange, sinceMs)
    if (row === undefined) throw new ExchangeKeysMissingError(EXCHANGE_NAMES[exchange])
    return row
  }

  /** @throws ExchangeKeysUnreadableError */
  #open(row: ApiKeyRow): ExchangeKeys {
    try {
      return openedKeys(this.#sealing, row)
    } catch (cause) {
      throw new ExchangeKeysUnreadableError(EXCHANGE_NAMES[row.exchange], { cause })
    }
  }
}

/** @throws UnreadableSecretError */
export function openedKeys(
  sealing: Pick<Sealing, 'open'>,
  { clientRef, exchange, ...row }: ApiKeyRow,
): ExchangeKeys {
  const part = (field: 'apiKey' | 'apiSecret' | 'passphrase', sealed: string) =>
    sealing.open(sealed, { clientRef, exchange, field })
  return {
    apiKey: part('apiKey', row.apiKeySealed),
    apiSecret: part('apiSecret', row.apiSecretSealed),
    ...(row.passphraseSealed === null
      ? {}
      : { passphrase: part('passphrase', row.passphraseSealed) }),
  }
}

function isSealedAs(a: ApiKeyRow, b: ApiKeyRow): boolean {
  return (
    a.apiKeySealed === b.apiKeySealed &&
    a.apiSecretSealed === b.apiSecretSealed &&
    a.passphraseSealed === b.passphraseSealed
  )
}

/** How many rows are read and opened in one turn of the event loop, which takes a few ms. */
const ROWS_PER_STEP = 50

/** What is known of one exchange's stored keys. Entries of removed keys stay. */
interface KnownKeys {
  /** A keyed hash of the API key, and what it was made of, by client. */
  readonly digests: Map<number, { readonly digest: string; readonly sealed: string }>
  /** The clients whose keys could not be opened. */
  readonly unreadable: Set<number>
  /** All rows up to this id were read. */
  readUpTo: number
  /** When the last reading began that has ended; as `performance.now()`. */
  readMs: number
}

/**
 * Which clients have the same API key. The keys are sealed, so the database cannot compare them.
 * The first question opens them all; later ones open those that were saved since, which have new
 * row ids. Questions that come during one reading share the next one: each sees what was saved
 * before it. Nothing of this is stored.
 */
export class SharedKeys {
  readonly #apiKeys: Pick<ApiKeyStore, 'find' | 'listSealedAfter'>
  readonly #sealing: Pick<Sealing, 'open'>
  readonly #known = eachExchange(
    (): KnownKeys => ({
      ...{ digests: new Map(), unreadable: new Set(), readUpTo: 0 },
      readMs: Number.NEGATIVE_INFINITY,
    }),
  )
  readonly #turns = new Turns()
  /** Made for this process, so that nothing in its memory can be compared with a key later. */
  readonly #hashKey = randomBytes(32)

  constructor(
    apiKeys: Pick<ApiKeyStore, 'find' | 'listSealedAfter'>,
    sealing: Pick<Sealing, 'open'>,
  ) {
    this.#apiKeys = apiKeys
    this.#sealing = sealing
  }

  /**
   * The other clients for which the API key of a client is stored too, active or not: orders of a
   * disabled client may still be open. A key that cannot be opened counts as a different key: its
   * client can send nothing, and one such row would otherwise affect every client.
   */
  async othersWithKeyOf(clientRef: number, exchange: ExchangeCode): Promise<number[]> {
    const sinceMs = performance.now()
    await this.#update(exchange, sinceMs)
    const { digests } = this.#known[exchange]
    const own = digests.get(clientRef)?.digest
    const others: number[] = []
    if (own === undefined) return others
    for (const [other, { digest, sealed }] of digests) {
      if (other === clientRef || digest !== own) continue
      const row = await this.#apiKeys.find(other, exchange, sinceMs)
      if (row === undefined) continue
      if (row.apiKeySealed === sealed || this.#digestOf(row) === own) others.push(other)
    }
    return others
  }

  /**
   * Reads the keys that were saved since the last time, and those that could not be opened.
   * @param sinceMs a reading that began after this is new enough
   */
  async #update(exchange: ExchangeCode, sinceMs: number): Promise<void> {
    const endTurn = await this.#turns.take(exchange)
    try {
      const known = this.#known[exchange]
      if (known.readMs > sinceMs) return
      const readMs = performance.now()
      for (const clientRef of known.unreadable) {
        const row = await this.#apiKeys.find(clientRef, exchange)
        if (row === undefined) known.unreadable.delete(clientRef)
        else this.#learn(known, row)
      }
      for (;;) {
        const { readUpTo } = known
        const rows = await this.#apiKeys.listSealedAfter(exchange, readUpTo, ROWS_PER_STEP)
        for (const row of rows) {
          this.#learn(known, row)
          known.readUpTo = row.id
        }
        if (rows.length < ROWS_PER_STEP) break
        await nextTurn()
      }
      known.readMs = readMs
    } finally {
      endTurn()
    }
  }

  #learn({ digests, unreadable }: KnownKeys, row: ApiKeyRow): void {
    const digest = this.#digestOf(row)
    if (digest === undefined) unreadable.add(row.clientRef)
    else {
      unreadable.delete(row.clientRef)
      digests.set(row.clientRef, { digest, sealed: row.apiKeySealed })
    }
  }

  /** Undefined when the key cannot be opened. */
  #digestOf({ apiKeySealed, clientRef, exchange }: ApiKeyRow): string | undefined {
    try {
      const apiKey = this.#sealing.open(apiKeySealed, { clientRef, exchange, field: 'apiKey' })
      return createHmac('sha256', this.#hashKey).update(apiKey).digest('base64')
    } catch (error) {
      if (error instanceof UnreadableSecretError) return undefined
      throw error
    }
  }
}
