import { useState } from 'react'
import { useFocusReturn } from '../../components/use-focus-return.ts'

/**
 * Brings the keyboard back to what had it when the palette is closed. The function that comes back
 * does so at once: the dialog of a command then returns it there, not to the closed palette.
 */
export function usePaletteFocus(): () => void {
  const [opener] = useState(() => document.activeElement)
  useFocusReturn()
  return () => {
    if (opener instanceof HTMLElement) opener.focus()
  }
}
