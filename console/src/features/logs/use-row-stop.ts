import type { Virtualizer } from '@tanstack/react-virtual'
import { type FocusEvent, useState } from 'react'
import type { LogLine } from './log-line.ts'

/**
 * The one row at which the Tab key stops: the open one, the one that had the focus last, or the
 * first in sight. Were every row one, nobody would get past a list that grows while it is read.
 */
export function useRowStop(
  lines: readonly LogLine[],
  openIndex: number,
  virtual: Virtualizer<HTMLElement, Element>,
) {
  const [lastKey, setLastKey] = useState<string>()
  const inSight = new Set(virtual.getVirtualItems().map(({ key }) => key))
  const wanted = [lines[openIndex]?.key, lastKey]
  const found = wanted.find((key) => key !== undefined && inSight.has(key))
  const noteFocus = ({ target }: FocusEvent) => {
    const row = Number(target.closest('tr')?.getAttribute('aria-rowindex'))
    // The header is the first row.
    setLastKey(lines[row - 2]?.key)
  }
  return { stopKey: found ?? lines[virtual.range?.startIndex ?? 0]?.key, noteFocus }
}
