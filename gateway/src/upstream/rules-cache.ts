import type { RulesKey, SymbolRules } from '../exchanges/symbol-rules.ts'

/**
 * Rules that cannot be refreshed are used up to this age; then orders are refused rather than
 * guessed.
 */
const STALE_MAX_MS = 60 * 60_000
/**
 * How long it is remembered that a symbol does not exist: long enough that a typo in a loop costs
 * no slots.
 */
const UNKNOWN_MS = 30_000
/** How long old rules are used after a failed refresh before the exchange is asked again. */
const RETRY_MS = 30_000
/**
 * Symbols come from callers, so that both memories are bounded; the least recently used goes first.
 */
const KNOWN_MAX = 5_000
const UNKNOWN_MAX = 1_000

export interface RulesCacheOptions {
  /**
   * Asks the exchange; undefined when it does not know the symbol. Its failures are not remembered.
   */
  readonly fetch: (key: RulesKey) => Promise<SymbolRules | undefined>
  /** Monotonic. */
  readonly nowMs: () => number
  readonly ttlMs?: number
  /** Told when rules of this age are used because they could not be refreshed. */
  readonly onStale?: (key: RulesKey, ageMs: number, error: unknown) => void
}

export interface RulesCache {
  /** @throws what `fetch` throws, when there are no rules younger than an hour */
  get(key: RulesKey): Promise<SymbolRules | undefined>
}

/** Symbol rules, asked once in ten minutes for each symbol however many orders need them. */
export function createRulesCache(options: RulesCacheOptions): RulesCache {
  const { fetch, nowMs, ttlMs = 10 * 60_000, onStale } = options
  const known = new Map<string, { rules: SymbolRules; atMs: number; retryAtMs: number }>()
  const unknown = new Map<string, number>()
  const underWay = new Map<string, Promise<SymbolRules | undefined>>()

  const refresh = async (key: RulesKey, name: string): Promise<SymbolRules | undefined> => {
    try {
      // Later in this turn, so that the finally below never runs before the promise is noted.
      const rules = await Promise.resolve(key).then(fetch)
      known.delete(name)
      unknown.delete(name)
      if (rules === undefined) remember(unknown, name, nowMs(), UNKNOWN_MAX)
      else remember(known, name, { rules, atMs: nowMs(), retryAtMs: 0 }, KNOWN_MAX)
      return rules
    } finally {
      underWay.delete(name)
    }
  }

  return {
    async get(key) {
      const name = `${key.exchange} ${key.market} ${key.symbol}`
      const entry = known.get(name)
      if (entry !== undefined) remember(known, name, entry, KNOWN_MAX)
      if (entry !== undefined && nowMs() < Math.max(entry.atMs + ttlMs, entry.retryAtMs)) {
        return entry.rules
      }
      const unknownAtMs = unknown.get(name)
      if (unknownAtMs !== undefined && nowMs() - unknownAtMs < UNKNOWN_MS) return undefined

      const refreshing = underWay.get(name) ?? refresh(key, name)
      underWay.set(name, refreshing)
      try {
        return await refreshing
      } catch (error) {
        const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : nowMs() - entry.atMs
        if (entry === undefined || ageMs > STALE_MAX_MS) throw error
        entry.retryAtMs = Math.min(nowMs() + RETRY_MS, entry.atMs + STALE_MAX_MS)
        onStale?.(key, ageMs, error)
        return entry.rules
      }
    },
  }
}

/**
 * Puts an entry last and drops the first when there are too many; a Map keeps the order of setting.
 */
function remember<V>(map: Map<string, V>, name: string, value: V, max: number): void {
  map.delete(name)
  map.set(name, value)
  const [oldest] = map.keys()
  if (map.size > max && oldest !== undefined) map.delete(oldest)
}
