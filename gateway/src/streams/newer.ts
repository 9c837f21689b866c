import type { Whole } from '../exchanges/feed.ts'
import { isSameAmount } from '../exchanges/protocol/decimals.ts'

/** How events came. */
export interface Heard {
  readonly source: 'stream' | 'rest'
  /**
   * When the frame came, or when the read was sent: it does not undo a frame that came after that.
   * Monotonic ms.
   */
  readonly atMs: number
  /** The events are all of these. */
  readonly whole?: Whole | undefined
  /** They were told before a restart. */
  readonly isStored?: true
}

/** What was dropped: it said nothing new, or something newer was known. */
export interface Counts {
  duplicates: number
  late: number
}

interface Dated {
  readonly timeMs: number | null
  readonly version?: string
}

/** Above 0: `a` is newer, by its version or its time; 0: they do not say. */
export function compared(a: Dated, b: Dated): number {
  const [ours, theirs] = [a.version, b.version].map((version = '') =>
    /^\d+$/.test(version) ? BigInt(version) : undefined,
  )
  if (ours !== undefined && theirs !== undefined && ours !== theirs) return ours > theirs ? 1 : -1
  return a.timeMs === null || b.timeMs === null ? 0 : a.timeMs - b.timeMs
}

/** The newer time and version of both. */
export function dated(a: Dated, b: Dated | undefined): Dated {
  const [newer, older] = b !== undefined && compared(a, b) < 0 ? [b, a] : [a, b]
  const version = newer.version ?? older?.version
  const timeMs = newer.timeMs ?? older?.timeMs ?? null
  return version === undefined ? { timeMs } : { timeMs, version }
}

/** Texts that are no amounts: `1` and `01` differ. */
const WORDS = new Set(['orderId', 'clientOrderId', 'symbol', 'asset', 'reason'])

/** Whether both say the same, however they write amounts. */
export function isSameData<Data extends object>(a: Data, b: Data): boolean {
  return Object.entries(a).every(([name, value]) => {
    const other = b[name as keyof Data]
    if (value === other) return true
    const isAmount = typeof value === 'string' && typeof other === 'string' && !WORDS.has(name)
    return isAmount && isSameAmount(value, other)
  })
}
