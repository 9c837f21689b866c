import { randomUUID } from 'node:crypto'
import type { ExchangeCode } from 'schema'
import { checkKey, expiryOf, keysOf } from '../exchanges/keys.ts'
import type { ApiKeyListRow, ApiKeyStore } from '../store/api-key-store.ts'
import { createTimings } from '../upstream/request-context.ts'
import type { Upstream } from '../upstream/upstream.ts'

const DAY_MS = 86_400_000

export interface KeyExpiryDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'list' | 'setExpiry' | 'setCanWithdraw'>
  readonly upstreams: Readonly<Record<ExchangeCode, Pick<Upstream, 'ask'>>>
  readonly nowMs: () => number
  /** Called for a key whose expiry could not be read; what was known of it stays. */
  readonly onFailure: (error: unknown, key: ApiKeyListRow) => void
}

/**
 * Keeps what is stored of keys up to date, for exchanges whose unbound keys expire: when they do,
 * and whether they may withdraw. It asks about a key at most once a day. Its calls have the lowest
 * class of the queue.
 */
export class KeyExpiry {
  readonly #deps: KeyExpiryDeps
  /** By the id of the keys, when a reading failed. */
  readonly #failedAtMs = new Map<number, number>()

  constructor(deps: KeyExpiryDeps) {
    this.#deps = deps
  }

  /** Asks about each key that is due, one after another. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { apiKeys, onFailure, nowMs } = this.#deps
    const unsendable = new Set<ExchangeCode>()
    for (const row of (await apiKeys.list()).filter((each) => this.#isDue(each))) {
      if (unsendable.has(row.exchange)) continue
      const askedAtMs = nowMs()
      try {
        await this.#read(row, askedAtMs, signal)
      } catch (error) {
        if (signal.aborted) return
        if (isOfTheQueue(error)) unsendable.add(row.exchange)
        else this.#failedAtMs.set(row.id, askedAtMs)
        onFailure(error, row)
      }
    }
  }

  #isDue({ id, exchange, expiryReadAtMs }: ApiKeyListRow): boolean {
    if (keysOf(exchange).unboundDays === undefined) return false
    const lastMs = Math.max(expiryReadAtMs ?? 0, this.#failedAtMs.get(id) ?? 0)
    return this.#deps.nowMs() - lastMs >= DAY_MS
  }

  async #read(row: ApiKeyListRow, askedAtMs: number, signal: AbortSignal): Promise<void> {
    const { apiKeys, upstreams } = this.#deps
    const { exchange, clientRef, clientId, accountKind } = row
    // The fallback is not asked: it reports no expiry.
    const { fallback: _, ...protocol } = keysOf(exchange)
    const { method, path: endpoint } = protocol.check(accountKind)
    const context = {
      requestId: randomUUID(),
      ...{ method, endpoint },
      ...{ clientRef, clientId, signal },
      byAdmin: true,
      timings: createTimings(),
    }
    const { daysLeft, canWithdraw } = await checkKey(protocol, accountKind, (call) =>
      upstreams[exchange].ask(context, call, (data) => data, 'market'),
    )
    if (canWithdraw !== null && canWithdraw !== row.canWithdraw)
      await apiKeys.setCanWithdraw(row.id, canWithdraw)
    if (daysLeft === undefined) throw new Error('The response does not say when the key expires')
    const expiresAtMs = expiryOf(daysLeft, askedAtMs, row.expiresAtMs)
    await apiKeys.setExpiry(row.id, { expiresAtMs, readAtMs: askedAtMs })
    this.#failedAtMs.delete(row.id)
  }
}

const KEY_ERRORS: ReadonlySet<unknown> = new Set([
  'EXCHANGE_KEYS_MISSING',
  'EXCHANGE_KEYS_UNREADABLE',
])

/**
 * Whether nothing can be sent to the exchange at the moment: its keys are asked about again in the
 * next run. An error of the keys themselves would only repeat.
 */
function isOfTheQueue(error: unknown): boolean {
  if (!(error instanceof Error) || !('sent' in error) || error.sent !== false) return false
  return !('code' in error && KEY_ERRORS.has(error.code))
}
