import { priceCall, readPrice, type SymbolPrice } from '../exchanges/public-data.ts'
import type { RulesKey } from '../exchanges/symbol-rules.ts'
import { NotOwnerError } from '../store/errors.ts'
import type { Time, Timer } from '../time.ts'
import type { Upstreams } from '../upstream/create-upstreams.ts'
import type { ReadClass } from '../upstream/rules-cache.ts'

/** A price is used up to this age. At most one call for a symbol is sent in this time. */
const FRESH_MS = 60_000
/** A price that is being refreshed may be this much older. */
const REFRESH_MS = 5_000
/** Symbols come from callers. The price that was used least recently is dropped first. */
const PRICES_MAX = 5_000

interface PricesOptions {
  /**
   * Asks the exchange; undefined when it has no price for the symbol.
   * @param onSent called when the call takes a slot
   * @param jobClass its place in the queue
   */
  readonly fetch: (
    key: RulesKey,
    onSent: () => void,
    jobClass: ReadClass,
  ) => Promise<SymbolPrice | undefined>
  readonly time: Pick<Time, 'monotonic' | 'setTimeout'>
}

type NotOwner = InstanceType<typeof NotOwnerError>

interface KnownPrice {
  /** Undefined: the exchange had none, or did not respond. */
  price: SymbolPrice | undefined
  atMs: number
  /** When the last call took its slot. */
  sentAtMs: number
  fetching: Promise<void> | undefined
  /** Why the last call did not go out, when another node sends them now. */
  notOwner: NotOwner | undefined
  /** How many waiting orders need the price. */
  holders: number
  timer: Timer | undefined
}

/**
 * Prices of symbols by public market data, shared by all clients: at most one slot per symbol and
 * minute. While an order that needs a price waits, the price is refreshed each minute.
 */
export class Prices {
  readonly #options: PricesOptions
  readonly #known = new Map<string, KnownPrice>()

  constructor(options: PricesOptions) {
    this.#options = options
  }

  /** The price if it is fresh, without asking the exchange. */
  peek(key: RulesKey): SymbolPrice | undefined {
    const known = this.#known.get(nameOf(key))
    if (known?.price === undefined) return undefined
    const ageMs = this.#options.time.monotonic() - known.atMs
    const maxMs = known.fetching === undefined ? FRESH_MS : FRESH_MS + REFRESH_MS
    return ageMs <= maxMs ? known.price : undefined
  }

  /**
   * The price, asked for when there is no fresh one.
   * @returns undefined when there is none to be had
   * @throws NotOwnerError when another node would have to ask
   */
  async get(key: RulesKey): Promise<SymbolPrice | undefined> {
    const fresh = this.peek(key)
    if (fresh !== undefined) return fresh
    const known = await this.#refresh(key)
    const price = this.peek(key)
    if (price === undefined && known.notOwner !== undefined) throw known.notOwner
    return price
  }

  /**
   * Asks for a price behind all orders, where nobody waits for it. It counts as sent only when it
   * is there: until then, an order that needs the price asks for itself.
   * @throws what `fetch` throws
   */
  async learn(key: RulesKey): Promise<void> {
    const { fetch, time } = this.#options
    const known = this.#entry(key)
    const isRecent = time.monotonic() - known.sentAtMs < FRESH_MS
    if (isRecent || this.peek(key) !== undefined) return
    const price = await fetch(key, () => {}, 'market')
    const atMs = time.monotonic()
    Object.assign(known, { price, atMs, sentAtMs: atMs })
  }

  /** Keeps a price fresh until the returned function is called. */
  hold(key: RulesKey): () => void {
    const known = this.#entry(key)
    known.holders += 1
    this.#refreshInTime(key, known)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      known.holders -= 1
      if (known.holders > 0) return
      known.timer?.cancel()
      known.timer = undefined
    }
  }

  #entry(key: RulesKey): KnownPrice {
    const name = nameOf(key)
    const known = this.#known.get(name) ?? {
      ...{ price: undefined, atMs: Number.NEGATIVE_INFINITY, sentAtMs: Number.NEGATIVE_INFINITY },
      ...{ fetching: undefined, notOwner: undefined, holders: 0, timer: undefined },
    }
    this.#known.delete(name)
    this.#known.set(name, known)
    if (this.#known.size > PRICES_MAX) this.#dropOldest()
    return known
  }

  #dropOldest(): void {
    for (const [name, { holders, fetching }] of this.#known) {
      if (holders > 0 || fetching !== undefined) continue
      this.#known.delete(name)
      return
    }
  }

  async #refresh(key: RulesKey): Promise<KnownPrice> {
    const known = this.#entry(key)
    if (known.fetching === undefined && this.#options.time.monotonic() - known.sentAtMs < FRESH_MS)
      return known
    known.fetching ??= this.#fetch(key, known)
    await known.fetching
    return known
  }

  /** Never rejects: without a response there is no price. */
  async #fetch(key: RulesKey, known: KnownPrice): Promise<void> {
    const { fetch, time } = this.#options
    known.notOwner = undefined
    try {
      const onSent = () => {
        known.sentAtMs = time.monotonic()
      }
      const price = await fetch(key, onSent, 'lookup')
      Object.assign(known, { price, atMs: time.monotonic() })
    } catch (error) {
      if (error instanceof NotOwnerError) known.notOwner = error
      // The old price stays until it is too old. Orders that need it are then refused for that
      // reason.
    } finally {
      known.fetching = undefined
      this.#refreshInTime(key, known)
    }
  }

  #refreshInTime(key: RulesKey, known: KnownPrice): void {
    if (known.holders === 0 || known.timer !== undefined) return
    const inMs = Math.max(0, known.sentAtMs + FRESH_MS - this.#options.time.monotonic())
    // Before the first call there is nothing to keep fresh.
    if (!Number.isFinite(inMs)) return
    known.timer = this.#options.time.setTimeout(() => {
      known.timer = undefined
      void this.#refresh(key)
    }, inMs)
    known.timer.unref()
  }
}

function nameOf({ exchange, market, symbol }: RulesKey): string {
  return `${exchange} ${market} ${symbol}`
}

/** Prices that are read at the exchanges. */
export function createPrices(
  { upstreams }: Pick<Upstreams, 'upstreams'>,
  time: PricesOptions['time'],
): Prices {
  return new Prices({
    fetch: async (key, onSent, jobClass) => {
      const call = priceCall(key)
      if (call === undefined) return undefined
      const upstream = upstreams[key.exchange]
      return readPrice(key, (await upstream.sendOwn(call, onSent, false, jobClass)).verdict)
    },
    time,
  })
}
