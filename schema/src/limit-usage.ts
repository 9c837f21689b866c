import type { ClientLimits, LimitsWithUsage } from './contracts/limits.ts'

/** The limits whose use grows and shrinks with the client's orders. */
export const USED_LIMITS = ['maxDayValue', 'maxOpenOrders', 'maxOrdersPerMinute'] as const
export type UsedLimit = (typeof USED_LIMITS)[number]

export interface LimitUse {
  readonly limit: UsedLimit
  readonly used: number
  /** Null: no limit. */
  readonly allowed: number | null
  /** As `percentOf` rounds it. Null: no limit. */
  readonly percent: number | null
}

/** Whole percent, rounded; 100 only when the limit is reached. */
export function percentOf(used: number, allowed: number): number {
  const percent = Math.round((used * 100) / allowed)
  return used < allowed ? Math.min(percent, 99) : percent
}

/** How much of each limit is used, in the order of `USED_LIMITS`. */
export function limitUse(limits: ClientLimits, usage: LimitsWithUsage['usage']): LimitUse[] {
  const used = {
    maxDayValue: Number(usage.dayValue),
    maxOpenOrders: usage.openOrders,
    maxOrdersPerMinute: usage.ordersLastMinute,
  }
  return USED_LIMITS.map((limit) => {
    const allowed = limits[limit] === null ? null : Number(limits[limit])
    const percent = allowed === null ? null : percentOf(used[limit], allowed)
    return { limit, used: used[limit], allowed, percent }
  })
}

/** The limit of which most is used; null when there is none, or when none refuses anything. */
export function nearestLimit(
  limits: ClientLimits,
  usage: LimitsWithUsage['usage'],
): { limit: UsedLimit; percent: number } | null {
  let nearest: { limit: UsedLimit; percent: number } | null = null
  if (limits.mode === 'shadow') return null
  for (const { limit, percent } of limitUse(limits, usage)) {
    if (percent !== null && percent > (nearest?.percent ?? -1)) nearest = { limit, percent }
  }
  return nearest
}

/** What the limits of a client would have refused; null when they are in force. */
export function wouldHaveRefused(
  { mode }: Pick<ClientLimits, 'mode'>,
  usage: LimitsWithUsage['usage'],
): number | null {
  return mode === 'shadow' ? usage.wouldHaveRefused : null
}

/** What can hold for a client. */
export const EFFECTIVE_STATES = ['active', 'reducing', 'halted', 'stopped', 'expired'] as const
export type EffectiveState = (typeof EFFECTIVE_STATES)[number]

/** A stop holds in every mode; in shadow mode nothing else does. */
export function effectiveState(
  { state, mode, expiresAt }: Pick<ClientLimits, 'state' | 'mode' | 'expiresAt'>,
  isStopped: boolean,
  nowMs: number,
): EffectiveState {
  if (isStopped) return 'stopped'
  if (mode === 'shadow') return 'active'
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return 'expired'
  return state
}
