import { useLayoutEffect } from 'react'

const GUARD_MS = 300

/**
 * The Enter or click that chose a command must not also confirm it: neither a second one at once
 * nor an Enter that is held down reaches the dialog.
 */
export function useStartGuard(): void {
  useLayoutEffect(() => {
    const openedMs = performance.now()
    const guard = (event: Event) => {
      const isEnter = event instanceof KeyboardEvent && event.key === 'Enter'
      if (!isEnter && event.type !== 'click') return
      const isHeld = isEnter && event.repeat
      if (!isHeld && performance.now() - openedMs > GUARD_MS) return
      event.preventDefault()
      event.stopPropagation()
    }
    window.addEventListener('keydown', guard, { capture: true })
    window.addEventListener('click', guard, { capture: true })
    return () => {
      window.removeEventListener('keydown', guard, { capture: true })
      window.removeEventListener('click', guard, { capture: true })
    }
  }, [])
}
