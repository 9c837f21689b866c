import { useEffect } from 'react'

/** What has, or had, the keyboard. */
interface Place {
  readonly element: HTMLElement
  /** What it lies in, innermost first. */
  readonly around: readonly HTMLElement[]
  /** Not in a dialog, which returns the focus itself. */
  readonly isOnPage: boolean
}

/**
 * Keeps the keyboard on the page. A button that is disabled while its action runs gets the focus
 * back afterwards; when what has the focus is removed, the focus goes to what it lay in. A browser
 * would drop it: nothing shows where the keyboard is, and its keys do nothing.
 */
export function useKeepFocus(): void {
  useEffect(() => {
    let place: Place | undefined

    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return
      const isOnPage = target.closest('#main') !== null
      place = { element: target, around: aroundOf(target), isOnPage }
    }
    const forget = () => {
      place = undefined
    }
    const leave = ({ target, relatedTarget }: FocusEvent) => {
      // Where it is removed, this comes before it is.
      queueMicrotask(() => {
        if (relatedTarget === null && place?.element === target && isThere(place.element)) forget()
      })
    }
    const keep = () => {
      if (place === undefined || document.activeElement !== document.body) return
      const { element } = place
      if (isThere(element)) element.focus({ preventScroll: true })
      else if (!element.isConnected) focusAround(place)
    }

    const observer = new MutationObserver(keep)
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributeFilter: ['disabled'],
    })
    document.addEventListener('focusin', note)
    document.addEventListener('focusout', leave)
    document.addEventListener('pointerdown', forget)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', note)
      document.removeEventListener('focusout', leave)
      document.removeEventListener('pointerdown', forget)
    }
  }, [])
}

const isThere = (element: HTMLElement) => element.isConnected && !element.matches(':disabled')

/** What is worth reading out when the focus goes there. */
const PLACES = '[tabindex], table, ul, ol, dl, form, section, [role="dialog"]'

function aroundOf(element: HTMLElement): readonly HTMLElement[] {
  const found: HTMLElement[] = []
  const end = element.closest('#main, [role="dialog"]')
  // Elsewhere, nothing that can have the focus goes away by itself.
  if (end === null) return found
  for (let next = element.parentElement; next !== null; next = next.parentElement) {
    if (next.id === 'main') break
    if (next.matches(PLACES)) found.push(next)
    if (next === end) break
  }
  return found
}

function focusAround({ around, isOnPage }: Place): void {
  const heading = isOnPage ? document.querySelector<HTMLElement>('#main h1') : null
  const target = around.find(({ isConnected }) => isConnected) ?? heading
  if (target === null) return
  if (!target.hasAttribute('tabindex')) {
    target.tabIndex = -1
    target.addEventListener('blur', () => target.removeAttribute('tabindex'), { once: true })
  }
  target.focus({ preventScroll: true })
}
