import * as texts from './page-texts.ts'

const DAY_MS = 86_400_000
/** The gateway raises its first alert so many days before the end. */
const SOON_DAYS = 14

export interface Expiry {
  readonly text: string
  readonly isSoon: boolean
  readonly isOver: boolean
}

/**
 * How long a key is still valid; undefined when it does not expire, or when its expiry is unknown.
 */
export function expiryOf(expiresAt: string | null | undefined, nowMs: number): Expiry | undefined {
  const leftMs = Date.parse(expiresAt ?? '') - nowMs
  if (Number.isNaN(leftMs)) return undefined
  const days = Math.ceil(leftMs / DAY_MS)
  const isOver = days <= 0
  return {
    text: isOver ? texts.expiryOver : texts.expiryIn(days),
    isSoon: days <= SOON_DAYS,
    isOver,
  }
}
