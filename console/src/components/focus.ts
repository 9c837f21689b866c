import { useEffect, useState } from 'react'

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
      if (target instanceof HTMLElement) place = placeOf(target)
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

const placeOf = (element: HTMLElement): Place => ({
  element,
  around: aroundOf(element),
  isOnPage: element.closest('#main') !== null,
})

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

function focusAround({ around, isOnPage }: Omit<Place, 'element'>): void {
  const heading = isOnPage ? document.querySelector<HTMLElement>('#main h1') : null
  const target = around.find(({ isConnected }) => isConnected) ?? heading
  if (target === null) return
  if (!target.hasAttribute('tabindex')) {
    target.tabIndex = -1
    target.addEventListener('blur', () => target.removeAttribute('tabindex'), { once: true })
  }
  target.focus({ preventScroll: true })
}

/** What had the focus before each dialog of those that followed each other, newest first. */
let chain: readonly Place[] = []

/** A dialog that another one replaces is still there when the other one is made. */
function openersOf(): readonly Place[] {
  const isWithin = document.querySelector('[role="dialog"]') !== null
  const { activeElement, body } = document
  const isOpener = activeElement instanceof HTMLElement && activeElement !== body
  chain = [...(isOpener ? [placeOf(activeElement)] : []), ...(isWithin ? chain : [])]
  return chain
}

/**
 * Brings the keyboard back to what opened a dialog when the dialog is unmounted, also when the
 * dialog had replaced another one; to what that lay in when it is gone; not when the focus was
 * moved elsewhere in between. Mantine does it only for a dialog that stays mounted while closed.
 */
export function useFocusReturn(): void {
  const [openers] = useState(openersOf)
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return
        const opener = openers.find(({ element }) => element.isConnected)
        if (opener !== undefined) opener.element.focus()
        else focusAround(openers.at(-1) ?? { around: [], isOnPage: true })
      })
    },
    [openers],
  )
}
