import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useState } from 'react'

/** How long a secret stays readable on a screen that somebody may have left. */
const REVEALED_MS = 60_000

/**
 * Whether a secret is shown, and the setter: it is masked again after a minute, and when the tab is
 * hidden.
 */
export function useReveal(): [isRevealed: boolean, setRevealed: (isRevealed: boolean) => void] {
  const [isRevealed, setRevealed] = useState(false)
  const isHidden = useDocumentVisibility() === 'hidden'

  useEffect(() => {
    if (!isRevealed) return
    if (isHidden) return setRevealed(false)
    const timer = setTimeout(() => setRevealed(false), REVEALED_MS)
    return () => clearTimeout(timer)
  }, [isRevealed, isHidden])

  return [isRevealed, setRevealed]
}
