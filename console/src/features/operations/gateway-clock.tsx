import { createContext, use } from 'react'
import { formatDuration, formatRoughly } from '../../components/format.ts'
import { useNow } from '../../components/use-now.ts'

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
  return isRough || ms < 1000 ? formatRoughly(ms) : formatDuration(ms)
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
  return leftMs > 0 ? words(formatDuration(leftMs)) : over
}
