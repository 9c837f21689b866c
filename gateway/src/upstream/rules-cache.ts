import { LRUCache } from 'lru-cache'
import type { RulesKey, SymbolRules } from '../exchanges/symbol-rules.ts'

/** Rules that cannot be refreshed are used up to this age. After that, orders are rejected. */
const STALE_MAX_MS = 60 * 60_000
/**
 * How long it is remembered that a symbol does not exist, so that a typo in a loop takes no slots.
 */
const UNKNOWN_MS = 30_000
/** How long old rules are used after a failed refresh before the next attempt. */
const RETRY_MS = 30_000
/** Symbols come from callers, so both caches are bounded. */
const KNOWN_MAX = 5_000
const UNKNOWN_MAX = 1_000

/** The place in the queue: ahead of the orders that need the rules, or behind all orders. */
export type ReadClass = 'lookup' | 'market'

interface RulesCacheOptions {
  /**
   * Reads the rules from the exchange; undefined when it does not know the symbol. Failures are not
   * cached.
   */
  readonly fetch: (key: RulesKey, jobClass: ReadClass) => Promise<SymbolRules | undefined>
  /** Monotonic clock. */
  readonly nowMs: () => number
  readonly ttlMs?: number
  /** Called when rules of this age are used because they could not be refreshed. */
  readonly onStale?: (key: RulesKey, ageMs: number, error: unknown) => void
}

export interface RulesCache {
  /** @throws what `fetch` throws, when there are no rules younger than an hour */
  get(key: RulesKey, jobClass?: ReadClass): Promise<SymbolRules | undefined>
  /** The rules that are known, without asking the exchange. */
  peek(key: RulesKey): SymbolRules | undefined
}

interface KnownRules {
  readonly rules: SymbolRules
  readonly atMs: number
  retryAtMs: number
}

/** Caches symbol rules for ten minutes each, however many orders need them. */
export function createRulesCache(options: RulesCacheOptions): RulesCache {
  const { fetch, nowMs, ttlMs = 10 * 60_000, onStale } = options
  const known = new LRUCache<string, KnownRules>({ max: KNOWN_MAX })
  const unknown = new LRUCache<string, number>({ max: UNKNOWN_MAX })
  const underWay = new Map<string, Promise<SymbolRules | undefined>>()

  const refresh = async (
    key: RulesKey,
    name: string,
    jobClass: ReadClass,
  ): Promise<SymbolRules | undefined> => {
    try {
      // Runs later in this turn, so that the promise is stored before the `finally` below runs.
      const rules = await Promise.resolve(key).then((read) => fetch(read, jobClass))
      known.delete(name)
      unknown.delete(name)
      if (rules === undefined) unknown.set(name, nowMs())
      else known.set(name, { rules, atMs: nowMs(), retryAtMs: 0 })
      return rules
    } finally {
      underWay.delete(name)
    }
  }

  return {
    peek: (key) => known.peek(nameOf(key))?.rules,

    async get(key, jobClass = 'lookup') {
      const name = nameOf(key)
      const entry = known.get(name)
      if (entry !== undefined && nowMs() < Math.max(entry.atMs + ttlMs, entry.retryAtMs)) {
        return entry.rules
      }
      const unknownAtMs = unknown.get(name)
      if (unknownAtMs !== undefined && nowMs() - unknownAtMs < UNKNOWN_MS) return undefined

      const refreshing = underWay.get(name) ?? refresh(key, name, jobClass)
      // An order does not wait for a read that comes behind all orders.
      if (jobClass === 'lookup') underWay.set(name, refreshing)
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

function nameOf({ exchange, market, symbol }: RulesKey): string {
  return `${exchange} ${market} ${symbol}`
}
