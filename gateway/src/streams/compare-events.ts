import type { Whole } from '../exchanges/feed.ts'
import { isSameAmount } from '../exchanges/protocol/decimals.ts'

/** Where events came from, and when. */
export interface EventOrigin {
  readonly source: 'stream' | 'rest'
  /**
   * When the frame was received, or the read was sent: a read does not undo a later frame.
   * Monotonic ms.
   */
  readonly atMs: number
  /** The events are this complete list. */
  readonly whole?: Whole | undefined
  /** They were published before a restart. */
  readonly isStored?: true
}

/** The numbers of dropped events: equal to the known state, or older. */
export interface Counts {
  duplicates: number
  late: number
}

interface Dated {
  readonly timeMs: number | null
  readonly version?: string
}

/** Above 0: `a` is newer, by version or time. Below 0: `b` is newer. 0: not known. */
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

/** Texts that are not amounts: `1` and `01` differ. */
const WORDS = new Set(['orderId', 'clientOrderId', 'symbol', 'asset', 'reason'])

/** Whether both are equal. `1` and `1.0` are equal amounts. */
export function isSameData<Data extends object>(a: Data, b: Data): boolean {
  return Object.entries(a).every(([name, value]) => {
    const other = b[name as keyof Data]
    if (value === other) return true
    const isAmount = typeof value === 'string' && typeof other === 'string' && !WORDS.has(name)
    return isAmount && isSameAmount(value, other)
  })
}
