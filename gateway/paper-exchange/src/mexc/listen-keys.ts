import { randomBytes } from 'node:crypto'
import type { Account } from '../account.ts'
import { type Endpoint, type SignedCall, signed } from '../family.ts'
import { SpotRejection, signedWeight } from './spot-family.ts'

const VALID_MS = 60 * 60_000
const KEYS_MAX = 60
const CONNECTIONS_MAX = 5

interface ListenKey {
  readonly account: Account
  expiresAtMs: number
  connections: number
}

/** What opens the private feed of MEXC spot for an account (streams.md, 2). */
export class ListenKeys {
  readonly #nowMs: () => number
  readonly #keys = new Map<string, ListenKey>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Each call makes a new one [?]. Null: the account has as many as it may. */
  create(account: Account): string | null {
    if (this.of(account).length >= KEYS_MAX) return null
    const listenKey = randomBytes(32).toString('hex')
    this.#keys.set(listenKey, { account, expiresAtMs: this.#nowMs() + VALID_MS, connections: 0 })
    return listenKey
  }

  of(account: Account): readonly string[] {
    return [...this.#keys].flatMap(([listenKey, { account: owner }]) =>
      owner === account && this.isValid(listenKey) ? [listenKey] : [],
    )
  }

  isValid(listenKey: string): boolean {
    const known = this.#keys.get(listenKey)
    if (known !== undefined && known.expiresAtMs > this.#nowMs()) return true
    this.#keys.delete(listenKey)
    return false
  }

  /** Valid for 60 minutes from now. False: the account has no such key. */
  extend(account: Account, listenKey: string): boolean {
    const known = this.#keys.get(listenKey)
    if (known?.account !== account || !this.isValid(listenKey)) return false
    known.expiresAtMs = this.#nowMs() + VALID_MS
    return true
  }

  /** Its connections end with the next beat. False: the account has no such key. */
  delete(account: Account, listenKey: string): boolean {
    if (this.#keys.get(listenKey)?.account !== account) return false
    return this.#keys.delete(listenKey)
  }

  /** Whose feed a connection with this key gets; null: none. */
  opened(listenKey: string): Account | null {
    const known = this.isValid(listenKey) ? this.#keys.get(listenKey) : undefined
    if (known === undefined || known.connections >= CONNECTIONS_MAX) return null
    known.connections += 1
    return known.account
  }

  closed(listenKey: string): void {
    const known = this.#keys.get(listenKey)
    if (known !== undefined) known.connections = Math.max(0, known.connections - 1)
  }

  clear(): void {
    this.#keys.clear()
  }
}

// The codes of a key that is not there, and of one too many, are not known: Binance's here [?].
const noSuchKey = () => new SpotRejection(-1125, 'This listenKey does not exist.')
const tooManyKeys = () => new SpotRejection(-1130, 'The number of listen keys exceeds the limit.')

const PATH = '/userDataStream'
const named = (call: SignedCall) => {
  const listenKey = call.params.required('listenKey')
  return { listenKey, keys: call.venue.listenKeys, account: call.account }
}

/** Listen keys of MEXC spot, below `/api/v3`: all four calls are signed, reading is enough. */
export const listenKeyEndpoints: readonly Endpoint[] = [
  signed({ method: 'POST', access: 'read' })(PATH, signedWeight(1), ({ venue, account }) => {
    const listenKey = venue.listenKeys.create(account)
    if (listenKey === null) throw tooManyKeys()
    return { listenKey }
  }),
  signed({ method: 'PUT', access: 'read' })(PATH, signedWeight(1), (call) => {
    const { keys, account, listenKey } = named(call)
    if (!keys.extend(account, listenKey)) throw noSuchKey()
    return { listenKey }
  }),
  signed({ method: 'DELETE', access: 'read' })(PATH, signedWeight(1), (call) => {
    const { keys, account, listenKey } = named(call)
    if (!keys.delete(account, listenKey)) throw noSuchKey()
    return { listenKey }
  }),
  signed({ method: 'GET', access: 'read' })(PATH, signedWeight(1), ({ venue, account }) => ({
    listenKey: venue.listenKeys.of(account),
  })),
]
