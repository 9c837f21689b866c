import { useMemo, useState } from 'react'
import type { LogLine } from './log-line.ts'

/**
 * Keeps new lines out of the list while somebody reads it: they would move what is being read, or
 * come where nobody looks. Lines of another list are shown at once.
 * @param listKey changes when other lines are wanted
 */
export function useHeldBack(lines: readonly LogLine[], listKey: string, isReading: boolean) {
  const newestId = useMemo(
    () => lines.reduce((newest, { entry }) => Math.max(newest, entry.id ?? 0), 0),
    [lines],
  )
  const [seen, setSeen] = useState({ listKey, newestId })
  const isSame = seen.listKey === listKey
  const isSeen = isSame && seen.newestId >= newestId
  if (!isSame || (!isReading && !isSeen)) setSeen({ listKey, newestId })
  const shown = useMemo(
    // An entry without an id is of a gateway that is not ours, and counts as seen.
    () => (isSeen ? lines : lines.filter(({ entry }) => !(entry.id > seen.newestId))),
    [lines, isSeen, seen.newestId],
  )
  return {
    shown,
    newCount: lines.length - shown.length,
    showNew: () => setSeen({ listKey, newestId: Number.MAX_SAFE_INTEGER }),
  }
}
