import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { LogLine } from './log-line.ts'

/**
 * Keeps what a person reads where it is when newer lines come in above it; a list at its top stays
 * at its top. Another filter starts at the top.
 */
export function useKeepPlace(
  box: RefObject<HTMLElement | null>,
  lines: readonly LogLine[],
  rowPx: number,
  filterKey: string,
): void {
  const shown = useRef({ lines, filterKey })

  useLayoutEffect(() => {
    const before = shown.current
    shown.current = { lines, filterKey }
    const element = box.current
    if (element === null || before.lines === lines) return
    if (before.filterKey !== filterKey) {
      element.scrollTop = 0
      return
    }
    const firstRow = Math.floor(element.scrollTop / rowPx)
    const key = before.lines[firstRow]?.key
    if (firstRow === 0 || key === undefined) return
    const rowNow = lines.findIndex((line) => line.key === key)
    if (rowNow >= 0) element.scrollTop += (rowNow - firstRow) * rowPx
  }, [box, lines, rowPx, filterKey])
}
