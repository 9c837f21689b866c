import { useEffect, useState } from 'react'

const GUARD_MS = 300

/** A double click on what opened a dialog must neither confirm it nor close it. */
export function useGuard(): boolean {
  const [isGuarded, setGuarded] = useState(true)
  useEffect(() => {
    const timer = setTimeout(() => setGuarded(false), GUARD_MS)
    return () => clearTimeout(timer)
  }, [])
  return isGuarded
}
