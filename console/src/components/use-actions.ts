import { useEffect, useRef } from 'react'
import type { IconName } from './icons.tsx'

/** What can be done on a page, as the palette offers it: under "On this page", before all else. */
export interface PageAction {
  /** What it is called, by which a person finds it: "Add an API key". */
  readonly label: string
  /** What it will do: "Opens the form", "Asks first, then drops 72 waiting requests". */
  readonly does: string
  readonly run: () => void
  readonly icon?: IconName
  /** More words by which it is found. */
  readonly words?: string
  /** Of a row, whose name is in the label: offered once something is typed. */
  readonly isOfRow?: boolean
  /** Whether it can be done now, and by this person. */
  readonly when?: boolean
}

type Actions = () => readonly PageAction[]

interface Held {
  current: Actions
}

const shown = new Set<Held>()

/**
 * Puts the actions of a page, or of a part of it, into the palette while it is shown; those of an
 * `ActionButton` are there by themselves. Texts come from the feature's `texts.ts`; `run` is what
 * the button on the page does. The palette is closed and has given the keyboard back when `run` is
 * called, so a dialog returns it to the right place, and the Enter that chose the action cannot
 * confirm that dialog. The function is called when the palette is open:
 *
 *     useActions(() => [
 *       { label: texts.clear, does: texts.does.clear, run: clear, when: isFiltered },
 *     ])
 */
export function useActions(actions: Actions): void {
  const held = useRef(actions)
  useEffect(() => {
    held.current = actions
  })
  useEffect(() => {
    shown.add(held)
    return () => void shown.delete(held)
  }, [])
}

/** What is offered by all that is shown now. */
export const pageActions = (): readonly PageAction[] =>
  [...shown].flatMap((held) => held.current()).filter(({ when }) => when !== false)
