import { useEffect, useEffectEvent } from 'react'
import { create } from 'zustand'
import { longStorage } from '../../components/browser-storage.ts'

const FIELD = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])'
const DIALOG = '[role="dialog"]'
const SINGLE_KEYS = 'sluice.single-keys'

export type Opened = 'palette' | 'shortcuts'

interface SingleKeys {
  readonly isOn: boolean
  readonly set: (isOn: boolean) => void
}

/** Whether a single key is a shortcut. Speech and shaking hands press keys by accident. */
export const useSingleKeys = create<SingleKeys>((set) => ({
  isOn: longStorage.getItem(SINGLE_KEYS) !== 'off',
  set: (isOn) => {
    longStorage.setItem(SINGLE_KEYS, isOn ? 'on' : 'off')
    set({ isOn })
  },
}))

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
  if (ctrlKey || metaKey) return isK(event) ? 'palette' : undefined
  if (!isSingleOn || (target instanceof Element && target.closest(FIELD) !== null)) return undefined
  // By the character: on some keyboards `/` needs Shift.
  if (key === '/') return 'search'
  return key === '?' ? 'shortcuts' : undefined
}

/** By the letter; where a keyboard has no Latin ones, by the place of the key. */
function isK({ key, code }: KeyboardEvent): boolean {
  return /^\p{Script=Latin}$/u.test(key) ? key.toLowerCase() === 'k' : code === 'KeyK'
}

/** False when the page has no search of its own. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('#main input[type="search"]')
  field?.focus()
  field?.select()
  return field !== null
}

/** The palette's field takes this long to come at most, ms; later keys are the page's again. */
const WAIT_MAX_MS = 3_000

let typed: { text: string; readonly untilMs: number } | null = null

/** From now on, keys are kept for the palette's field, which is on its way. */
function startTypeAhead({ timeStamp }: KeyboardEvent): void {
  typed = { text: '', untilMs: timeStamp + WAIT_MAX_MS }
}

/** @returns whether the key was kept */
function keepTyped({ key, ctrlKey, metaKey, timeStamp }: KeyboardEvent): boolean {
  if (typed === null || timeStamp > typed.untilMs) return false
  if (ctrlKey || metaKey || [...key].length !== 1) return false
  typed.text += key
  return true
}

/** What was typed before the field had the keyboard. */
export function takeTyped(): string {
  const text = typed?.text ?? ''
  typed = null
  return text
}

const GUARD_MS = 300

/**
 * The Enter or click that chose a command must not also confirm what it opens: neither a second one
 * at once nor an Enter that is held down gets there.
 */
export function guardStart(): void {
  const chosenMs = performance.now()
  const guard = (event: Event) => {
    const isEnter = event instanceof KeyboardEvent && event.key === 'Enter'
    if (!isEnter && event.type !== 'click') return
    if ((isEnter && event.repeat) || performance.now() - chosenMs <= GUARD_MS) {
      event.preventDefault()
      event.stopPropagation()
      return
    }
    for (const type of ['keydown', 'click'])
      window.removeEventListener(type, guard, { capture: true })
  }
  for (const type of ['keydown', 'click']) window.addEventListener(type, guard, { capture: true })
}
