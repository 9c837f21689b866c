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
}

interface Held {
  current: readonly PageAction[]
}

const shown = new Set<Held>()

/**
 * Puts the actions of a page, or of a part of it, into the palette while it is shown. The buttons
 * in the head of a page are there by themselves (`HeaderButton`). Texts come from the feature's
 * `texts.ts`; `run` is what the button on the page does. The palette is closed and has given the
 * keyboard back when `run` is called, so a dialog returns it to the right place, and the Enter that
 * chose the action cannot confirm that dialog. What cannot be done now, or not by this person, is
 * left out of the list:
 *
 *     useActions(failed.length === 0 || refusal !== undefined ? [] : [
 *       { label: texts.testAll, does: texts.testsAll(failed.length), run: test },
 *     ])
 */
export function useActions(actions: readonly PageAction[]): void {
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
export const pageActions = (): readonly PageAction[] => [...shown].flatMap((held) => held.current)
