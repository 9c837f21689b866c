import { type KeyboardEvent, type MouseEvent, type PointerEvent, useState } from 'react'
import type { Scale } from './chart-paths.ts'

/** How far Page Up and Page Down go. */
const PAGE_STEPS = 10

/**
 * The step that the pointer, a finger or the arrow keys are at, and the events that move it. It
 * stays at its time while new steps arrive.
 * @param onPick gets clicks, Enter and Space
 */
export function useChartCursor(
  { times, stepMs, fromMs, toMs }: Scale,
  onPick: (index: number, isGrowing: boolean) => void,
) {
  const [cursorMs, setCursorMs] = useState<number | null>(null)
  const last = times.length - 1
  const index = cursorMs === null ? last : nearest(times, cursorMs)

  const follow = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const atMs = fromMs + ((event.clientX - left) / width) * (toMs - fromMs)
    setCursorMs(times[nearest(times, atMs - stepMs / 2)] ?? null)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, index, last)
    if (next !== undefined) setCursorMs(times[Math.min(last, Math.max(0, next))] ?? null)
    else if (event.key === 'Enter' || event.key === ' ') onPick(index, event.shiftKey)
    else if (event.key === 'Escape' && cursorMs !== null) setCursorMs(null)
    else return
    event.preventDefault()
  }
  return {
    index,
    cursorMs: cursorMs === null ? null : (times[index] ?? null),
    events: {
      onPointerDown: follow,
      onPointerMove: follow,
      // A finger's reading stays when it is lifted.
      onPointerLeave: (event: PointerEvent) => event.pointerType === 'mouse' && setCursorMs(null),
      onBlur: () => setCursorMs(null),
      onClick: (event: MouseEvent) => onPick(index, event.shiftKey),
      onKeyDown,
    },
  }
}

function nearest(times: readonly number[], atMs: number): number {
  let best = 0
  for (const [index, time] of times.entries()) {
    if (Math.abs(time - atMs) < Math.abs((times[best] ?? 0) - atMs)) best = index
  }
  return best
}

function nextIndex(key: string, index: number, last: number): number | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return index - 1
  if (key === 'ArrowRight' || key === 'ArrowUp') return index + 1
  if (key === 'PageUp') return index - PAGE_STEPS
  if (key === 'PageDown') return index + PAGE_STEPS
  if (key === 'Home') return 0
  if (key === 'End') return last
  return undefined
}
