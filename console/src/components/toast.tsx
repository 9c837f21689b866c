import { useHotkeys } from '@mantine/hooks'
import { type FocusEvent, type ReactNode, useRef, useState } from 'react'
import { create } from 'zustand'
import { lazyPart } from './load-ahead.ts'
import * as texts from './texts.ts'
import classes from './toast.module.css'

interface Toast {
  readonly title: string
  readonly message: ReactNode
  readonly tone?: 'success' | 'failure' | 'info'
}

export interface ToastEntry extends Required<Toast> {
  readonly id: number
  readonly isOpen: boolean
}

/** Every toast of the last while, newest first; at most one is open. */
export const useToastRecord = create<{ entries: readonly ToastEntry[] }>(() => ({ entries: [] }))

const replaceEntries = (replace: (entry: ToastEntry) => ToastEntry[]) =>
  useToastRecord.setState(({ entries }) => ({ entries: entries.flatMap(replace) }))

let count = 0

/** Shows a message for 5 s in place of the one that is visible. */
export function toast({ title, message, tone = 'success' }: Toast): void {
  for (const { id } of useToastRecord.getState().entries) dismissToast(id)
  count += 1
  const entry = { id: count, title, message, tone, isOpen: true }
  useToastRecord.setState(({ entries }) => ({ entries: [entry, ...entries] }))
}

/**
 * How long a dismissed toast stays in the list of recent messages (console-checklist.md, 216).
 */
const RECORD_MS = 1_000_000

/** Marks a toast as dismissed now; it leaves the record `RECORD_MS` later, once. */
export function dismissToast(id: number): void {
  if (!useToastRecord.getState().entries.find((each) => each.id === id)?.isOpen) return
  replaceEntries((each) => [each.id === id ? { ...each, isOpen: false } : each])
  setTimeout(() => replaceEntries((each) => (each.id === id ? [] : [each])), RECORD_MS)
}

/** Empties the record, the open toast included: it is about a person who signed out. */
export function forgetToasts(): void {
  useToastRecord.setState({ entries: [] })
}

// Not needed before there is a first toast; the sign-in form is usable without it.
export const loadToasts = () => import('./toast-stack.tsx')
const ToastStack = lazyPart(loadToasts)
const RecentMessages = lazyPart(async () => ({ default: (await loadToasts()).RecentMessages }))

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
      {isRecentOpen && <RecentMessages />}
      {hasToasts && <ToastStack />}
    </section>
  )
}
