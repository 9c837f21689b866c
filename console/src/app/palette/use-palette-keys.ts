import { useEffect, useEffectEvent } from 'react'
import { useSingleKeys } from './single-keys.ts'
import { keepTyped, startTypeAhead } from './type-ahead.ts'

const FIELD = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])'
const DIALOG = '[role="dialog"]'

export type Opened = 'palette' | 'shortcuts'

/**
 * Ctrl+K or Cmd+K opens the palette, also from a field. `/` takes the keyboard to the search of the
 * page, or opens the palette; `?` opens the list of shortcuts. They do nothing over a dialog. The
 * first of the two keys fetches the code.
 */
export function usePaletteKeys(
  open: (what: Opened) => void,
  close: () => void,
  fetchAhead: () => void,
): void {
  const isSingleOn = useSingleKeys(({ isOn }) => isOn)
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Control' || event.key === 'Meta') return fetchAhead()
    if (event.defaultPrevented || event.isComposing || event.repeat || event.altKey) return
    if (keepTyped(event)) return event.preventDefault()
    const what = meaningOf(event, isSingleOn)
    if (what === undefined) return
    if (what === 'palette' && document.querySelector('[data-palette]') !== null) {
      event.preventDefault()
      return close()
    }
    if (document.querySelector(DIALOG) !== null) return
    event.preventDefault()
    if (what === 'search' && focusSearch()) return
    if (what !== 'shortcuts') startTypeAhead(event)
    open(what === 'shortcuts' ? what : 'palette')
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
}

function meaningOf(event: KeyboardEvent, isSingleOn: boolean): Opened | 'search' | undefined {
  const { key, ctrlKey, metaKey, target } = event
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? 'palette' : undefined
  if (!isSingleOn || (target instanceof Element && target.closest(FIELD) !== null)) return undefined
  // By the character: on some keyboards `/` needs Shift.
  if (key === '/') return 'search'
  return key === '?' ? 'shortcuts' : undefined
}

/** False when the page has no search of its own. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('#main input[type="search"]')
  field?.focus()
  field?.select()
  return field !== null
}
