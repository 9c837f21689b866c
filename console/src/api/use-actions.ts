import { useEffect, useRef } from 'react'
import type { Endpoint } from 'schema'
import type { IconName } from '../components/icons.tsx'

/** What can be done on a page, as the palette offers it: under "On this page", before all else. */
export interface PageAction {
  /** What a person may type to find it, and what it is called: "Add an API key". */
  readonly label: string
  /** What it will do: "Opens the form", "Asks first, then drops 72 waiting requests". */
  readonly does: string
  readonly run: () => void
  readonly icon?: IconName
  /** More words by which it is found. */
  readonly words?: string
  /** Offered only to roles that may call it; absent: to all. */
  readonly needs?: Endpoint
}

interface Held {
  current: readonly PageAction[]
}

const pages = new Set<Held>()

/**
 * Puts the actions of a page, or of a part of it, into the palette while it is shown. Texts come
 * from the feature's `texts.ts`; `run` is what the button on the page does. The palette is closed
 * and has given the keyboard back when `run` is called, so a dialog returns it to the right place,
 * and the Enter that chose the action cannot confirm that dialog. An action that cannot be done
 * now is left out of the list:
 *
 *     useActions([
 *       { label: texts.add, does: texts.addDoes, run: () => setAdding(true), needs: saveApiKey },
 *       ...(failed.length > 0 ? [{ label: texts.testAll, does: texts.testsAll(failed.length), run: test }] : []),
 *     ])
 */
export function useActions(actions: readonly PageAction[]): void {
  const held = useRef(actions)
  useEffect(() => {
    held.current = actions
  })
  useEffect(() => {
    pages.add(held)
    return () => void pages.delete(held)
  }, [])
}

/** What the pages that are shown offer now. */
export const pageActions = (): readonly PageAction[] => [...pages].flatMap((page) => page.current)
