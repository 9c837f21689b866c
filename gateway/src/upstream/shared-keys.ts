import { createHmac, randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExchangeCode } from 'schema'
import { eachExchange } from '../exchanges/each-exchange.ts'
import type { ApiKeyRow, ApiKeyStore } from '../store/api-key-store.ts'
import { UnreadableSecretError } from '../vault/errors.ts'
import type { Sealing } from '../vault/sealing.ts'
import { Turns } from './in-turn.ts'

/** How many rows are read and opened in one turn of the event loop, which takes a few ms. */
const ROWS_PER_STEP = 50

export interface SharedKeysDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'find' | 'listSealedAfter'>
  readonly sealing: Pick<Sealing, 'open'>
}

/** What is known of one exchange's stored keys. Entries of removed keys stay. */
interface KnownKeys {
  /** A keyed hash of the API key, by client. */
  readonly digests: Map<number, string>
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
  readonly #deps: SharedKeysDeps
  readonly #known = eachExchange(
    (): KnownKeys => ({
      ...{ digests: new Map(), unreadable: new Set(), readUpTo: 0 },
      readMs: Number.NEGATIVE_INFINITY,
    }),
  )
  readonly #turns = new Turns()
  /** Made for this process, so that nothing in its memory can be compared with a key later. */
  readonly #hashKey = randomBytes(32)

  constructor(deps: SharedKeysDeps) {
    this.#deps = deps
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
    const own = digests.get(clientRef)
    const others: number[] = []
    if (own === undefined) return others
    for (const [other, digest] of digests) {
      if (other === clientRef || digest !== own) continue
      const row = await this.#deps.apiKeys.find(other, exchange, sinceMs)
      if (row !== undefined && this.#digestOf(row) === own) others.push(other)
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
        const row = await this.#deps.apiKeys.find(clientRef, exchange)
        if (row === undefined) known.unreadable.delete(clientRef)
        else this.#learn(known, row)
      }
      for (;;) {
        const { readUpTo } = known
        const rows = await this.#deps.apiKeys.listSealedAfter(exchange, readUpTo, ROWS_PER_STEP)
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
      digests.set(row.clientRef, digest)
    }
  }

  /** Undefined when the key cannot be opened. */
  #digestOf({ apiKeySealed, clientRef, exchange }: ApiKeyRow): string | undefined {
    try {
      const apiKey = this.#deps.sealing.open(apiKeySealed, { clientRef, exchange, field: 'apiKey' })
      return createHmac('sha256', this.#hashKey).update(apiKey).digest('base64')
    } catch (error) {
      if (error instanceof UnreadableSecretError) return undefined
      throw error
    }
  }
}
