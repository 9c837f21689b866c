import { createContext, use, useRef, useState } from 'react'
import { formatDuration, formatRoughly } from '../../components/format.ts'
import { useNow } from '../../components/timers.ts'

/** How far the gateway's clock is ahead of this machine's, in ms. */
export const GatewayClock = createContext(0)

/** The gateway's time, anew every second. */
const useGatewayNow = (): number => useNow(true) + use(GatewayClock)

interface AgeProps {
  readonly of: string
  /** Its largest unit alone. */
  readonly isRough?: boolean
}

/** How long ago a time of the gateway is, and counts on. */
export function Age({ of, isRough = false }: AgeProps) {
  const nowMs = useGatewayNow()
  const ms = Math.max(0, nowMs - Date.parse(of))
  return <span>{isRough || ms < 1000 ? formatRoughly(ms) : formatDuration(ms)}</span>
}

interface LeftProps {
  readonly until: string
  readonly words: (left: string) => string
  /** When the time has come. */
  readonly over: string
}

/** How long it is until a time of the gateway, and counts down. */
export function Left({ until, words, over }: LeftProps) {
  const leftMs = Date.parse(until) - useGatewayNow()
  return <span>{leftMs > 0 ? words(formatDuration(leftMs)) : over}</span>
}

/**
 * Rows that keep their places while the pointer or the keyboard is among them: a button must not
 * move away from under a finger. Their values stay current; new rows come last.
 */
export function useHeldOrder<T>(rows: readonly T[], keyOf: (row: T) => string | number) {
  const [isHeld, setHeld] = useState(false)
  const order = useRef<readonly (string | number)[]>([])
  if (!isHeld) order.current = rows.map(keyOf)
  const placeOf = (row: T) => {
    const place = order.current.indexOf(keyOf(row))
    return place === -1 ? rows.length : place
  }
  return {
    rows: isHeld ? rows.toSorted((a, b) => placeOf(a) - placeOf(b)) : rows,
    events: {
      onPointerEnter: () => setHeld(true),
      onPointerLeave: () => setHeld(false),
      onFocus: () => setHeld(true),
      onBlur: () => setHeld(false),
    },
  }
}
