import { useEffect, useState } from 'react'

/**
 * Brings the keyboard back to what opened a dialog when the dialog is unmounted, or to the page's
 * heading when that is gone; not when the focus was moved elsewhere in between. Mantine does it
 * only for a dialog that stays mounted while closed.
 */
export function useFocusReturn(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return
        const heading = document.querySelector<HTMLElement>('#main h1')
        const target = opener instanceof HTMLElement && opener.isConnected ? opener : heading
        target?.focus()
      })
    },
    [opener],
  )
}
