import { Button } from '@mantine/core'
import { createContext, use, useRef, useState } from 'react'
import type { Endpoint } from 'schema'
import { RoleOnly } from '../../api/role.tsx'
import { formatDuration, formatRoughly } from '../../components/format.ts'
import { useNow } from '../../components/timers.ts'
import * as texts from './texts.ts'

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

interface AgoProps extends AgeProps {
  /** What was then. */
  readonly what?: string | null
}

/** `3 min ago: no heartbeat`. */
export function Ago({ what, ...age }: AgoProps) {
  return (
    <>
      <Age {...age} />
      <span>{` ${texts.figures.ago}${what == null ? '' : `: ${what}`}`}</span>
    </>
  )
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

interface RowButtonProps {
  /** What it calls, at once or in the end. */
  readonly endpoint: Endpoint
  /** The label, and of what: `Drop MEXC 3 from grid-bot`. */
  readonly name: string
  readonly isDangerous?: boolean
  readonly onClick: () => void
  readonly children: string
}

/** A button of a row, for those whose role allows what it calls. */
export function RowButton({ endpoint, name, isDangerous, onClick, children }: RowButtonProps) {
  const look = isDangerous ? { color: 'red', variant: 'outline' } : { variant: 'default' }
  return (
    <RoleOnly endpoint={endpoint}>
      <Button size="compact-xs" {...look} aria-label={name} onClick={onClick}>
        {children}
      </Button>
    </RoleOnly>
  )
}
