import { BigNumber } from 'bignumber.js'
import type { Whole } from '../exchanges/feed.ts'
import { higher, isSameAmount } from '../exchanges/protocol/decimals.ts'

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
  const byVersion =
    a.version === undefined || b.version === undefined
      ? 0
      : (new BigNumber(a.version).comparedTo(b.version) ?? 0)
  if (byVersion !== 0 || a.timeMs === null || b.timeMs === null) return byVersion
  return a.timeMs - b.timeMs
}

/** The later time and version of both. */
export function dated(a: Dated, b: Dated | undefined): Dated {
  const timeMs = b?.timeMs == null ? a.timeMs : Math.max(a.timeMs ?? 0, b.timeMs)
  const version = higher(a.version, b?.version)
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
