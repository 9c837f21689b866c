import { startTransition, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** What a screen shows; the rows behind it are made between the steps of a person. */
const FIRST = 15
const STEP = 50
/** How far below the window the next rows are made, so that scrolling meets no gap. */
const AHEAD = '1200px'

/**
 * The first rows of a long list, and more of them as its end comes near: a thousand rows at once
 * would hold the page for seconds. `end` belongs on the element behind the last row.
 */
export function useGrowingList<T>(rows: readonly T[]) {
  const [shown, setShown] = useState(FIRST)
  const end = useRef<HTMLDivElement>(null)
  const hasMore = shown < rows.length

  // biome-ignore lint/correctness/useExhaustiveDependencies: watching anew tells whether the end is still near.
  useEffect(() => {
    if (!hasMore || end.current === null) return
    const watcher = new IntersectionObserver(
      ([entry]) =>
        entry?.isIntersecting && startTransition(() => setShown((count) => count + STEP)),
      { rootMargin: AHEAD },
    )
    watcher.observe(end.current)
    return () => watcher.disconnect()
  }, [hasMore, shown])

  // What is printed does not scroll.
  useEffect(() => {
    const showAll = () => flushSync(() => setShown(Number.POSITIVE_INFINITY))
    window.addEventListener('beforeprint', showAll)
    return () => window.removeEventListener('beforeprint', showAll)
  }, [])

  return { visible: rows.slice(0, shown), end }
}
