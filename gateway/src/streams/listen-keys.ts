import { hash, randomBytes } from 'node:crypto'
import type { ListenKeyState, ListenKeyStore } from '../store/listen-key-store.ts'

const KEY_BYTES = 32
/** As a key of MEXC: an hour after it was made or extended. */
const VALID_MS = 60 * 60_000
/** As MEXC allows an account. */
const KEYS_MAX = 60
/** Of the keys that can be shown again; only their hashes are stored. */
const KNOWN_MAX = 10_000

const KEY_FORM = /^[0-9a-f]{64}$/

export interface ListenKeysDeps {
  readonly store: ListenKeyStore
  readonly nowMs: () => number
}

/**
 * Listen keys of the gateway's own: a program that was written for MEXC spot asks for one, and
 * dials with it. It opens nothing at the exchange, and ends with its client.
 */
export class ListenKeys {
  readonly #deps: ListenKeysDeps
  /** By hash: what this process has seen, for the list of a client's keys. */
  readonly #known = new Map<string, string>()

  constructor(deps: ListenKeysDeps) {
    this.#deps = deps
  }

  /** @throws ClientGoneError, StoreUnwritableError */
  async create(clientRef: number): Promise<string> {
    const { store, nowMs } = this.#deps
    const key = randomBytes(KEY_BYTES).toString('hex')
    const createdAtMs = nowMs()
    const row = { hash: hashOf(key), clientRef, createdAtMs }
    await store.insert({ ...row, expiresAtMs: createdAtMs + VALID_MS }, KEYS_MAX)
    this.#remember(key)
    return key
  }

  /** Makes a key valid for another hour. @returns whether the client has it */
  async extend(clientRef: number, key: string): Promise<boolean> {
    const nowMs = this.#deps.nowMs()
    if (!KEY_FORM.test(key)) return false
    const isOwn = await this.#deps.store.extend(clientRef, hashOf(key), nowMs + VALID_MS, nowMs)
    if (isOwn) this.#remember(key)
    return isOwn
  }

  /** @returns whether the client had it */
  async remove(clientRef: number, key: string): Promise<boolean> {
    if (!KEY_FORM.test(key)) return false
    return this.#deps.store.remove(clientRef, hashOf(key), this.#deps.nowMs())
  }

  /** A client's keys, oldest first, but those that nobody has used since the gateway started. */
  async listOf(clientRef: number): Promise<string[]> {
    const hashes = await this.#deps.store.listOf(clientRef, this.#deps.nowMs())
    return hashes.flatMap((each) => this.#known.get(each) ?? [])
  }

  /** Whose a key is; undefined when there is no such key, or no more. */
  async find(key: string): Promise<ListenKeyState | undefined> {
    const { store, nowMs } = this.#deps
    if (!KEY_FORM.test(key)) return undefined
    const found = await store.find(hashOf(key))
    if (found === undefined || found.expiresAtMs <= nowMs()) return undefined
    this.#remember(key)
    return found
  }

  #remember(key: string): void {
    const digest = hashOf(key)
    this.#known.delete(digest)
    if (this.#known.size >= KNOWN_MAX) {
      const [oldest] = this.#known.keys()
      if (oldest !== undefined) this.#known.delete(oldest)
    }
    this.#known.set(digest, key)
  }
}

const hashOf = (key: string) => hash('sha256', key, 'base64')
