import { useHotkeys } from '@mantine/hooks'
import { type FocusEvent, lazy, Suspense, useRef, useState } from 'react'
import * as texts from './texts.ts'
import { useToastRecord } from './toast-record.ts'
import classes from './toast-region.module.css'

// Not needed before there is a first toast; the sign-in form is usable without it.
export const loadToasts = () => import('./toast-stack.tsx')
const ToastStack = lazy(loadToasts)
const RecentMessages = lazy(async () => ({ default: (await loadToasts()).RecentMessages }))

/**
 * The one region of all toasts. F8 moves the keyboard here from anywhere, also from a field or a
 * dialog, and unfolds the recent messages; Escape folds them and goes back.
 */
export function ToastRegion() {
  const region = useRef<HTMLElement>(null)
  const cameFrom = useRef<Element>(null)
  const hasToasts = useToastRecord(({ entries }) => entries.length > 0)
  const [isRecentOpen, setRecentOpen] = useState(false)

  const enter = () => {
    if (!region.current?.contains(document.activeElement)) cameFrom.current = document.activeElement
    setRecentOpen(true)
    region.current?.focus()
  }
  const leave = () => {
    setRecentOpen(false)
    if (cameFrom.current instanceof HTMLElement) cameFrom.current.focus()
  }
  const foldOnBlur = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setRecentOpen(false)
  }
  // No ignored tags, and content-editable too: the defaults swallow the key inside fields.
  useHotkeys([['F8', enter]], [], true)

  return (
    <section
      ref={region}
      aria-label={texts.toastsRegion}
      tabIndex={-1}
      className={classes.region}
      onBlur={foldOnBlur}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        leave()
      }}
    >
      <Suspense>{isRecentOpen && <RecentMessages />}</Suspense>
      <Suspense>{hasToasts && <ToastStack />}</Suspense>
    </section>
  )
}
