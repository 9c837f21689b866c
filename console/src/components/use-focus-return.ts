import { useEffect, useState } from 'react'

/** What had the focus before each dialog of those that followed each other, newest first. */
let chain: readonly Element[] = []

/** A dialog that another one replaces is still there when the other one is made. */
function openersOf(): readonly Element[] {
  const isWithin = document.querySelector('[role="dialog"]') !== null
  const { activeElement } = document
  chain = [...(activeElement === null ? [] : [activeElement]), ...(isWithin ? chain : [])]
  return chain
}

/**
 * Brings the keyboard back to what opened a dialog when the dialog is unmounted, also when the
 * dialog had replaced another one; to the page's heading when that is gone; not when the focus was
 * moved elsewhere in between. Mantine does it only for a dialog that stays mounted while closed.
 */
export function useFocusReturn(): void {
  const [openers] = useState(openersOf)
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return
        const heading = document.querySelector<HTMLElement>('#main h1')
        const opener = openers.find((one) => one.isConnected && one !== document.body)
        const target = opener instanceof HTMLElement ? opener : heading
        target?.focus()
      })
    },
    [openers],
  )
}
