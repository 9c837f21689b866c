import { Notification, Paper, Text } from '@mantine/core'
import { useDrag } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import * as texts from './texts.ts'
import classes from './toast.module.css'
import { dismissToast, type ToastEntry, useToastRecord } from './toast.tsx'

/** The visible toast, at most one. */
export default function ToastStack() {
  const open = useToastRecord(({ entries }) => entries.find(({ isOpen }) => isOpen))
  return open && <ToastCard key={open.id} entry={open} />
}

/** Milliseconds that a toast stays (console-checklist.md, 214). */
const SHOWN_MS = 5000
/** A swipe to the right of this many pixels dismisses; to the left nothing does. */
const SWIPE_PX = 50
const COLOURS = { success: 'green', failure: 'red', info: 'blue' } as const

/** Failures interrupt screen readers, others do not. */
function ToastCard({ entry }: { readonly entry: ToastEntry }) {
  const { id, title, message, tone } = entry
  const [offsetPx, setOffsetPx] = useState(0)
  // Somebody points at it, or the keyboard is in it.
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => dismissToast(id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, isHeld])
  const { ref } = useDrag<HTMLDivElement>(
    ({ movement: [movedX], last, canceled, tap }) => {
      const rightPx = Math.max(0, movedX)
      if (!last) return setOffsetPx(rightPx)
      if (!canceled && !tap && rightPx >= SWIPE_PX) return dismissToast(id)
      setOffsetPx(0)
    },
    { axis: 'x', threshold: 5, filterTaps: true },
  )
  return (
    <Notification
      ref={ref}
      className={classes.toast ?? ''}
      role={tone === 'failure' ? 'alert' : 'status'}
      title={title}
      color={COLOURS[tone]}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      onClose={() => {
        // The keyboard stays in the region: nothing there would fold once the focus was lost.
        document.activeElement?.closest<HTMLElement>(`.${classes.region}`)?.focus()
        dismissToast(id)
      }}
      closeButtonProps={{ 'aria-label': texts.toastsDismiss }}
      style={{ translate: `${offsetPx}px`, touchAction: 'pan-y' }}
    >
      {message}
    </Notification>
  )
}

/** What toasts said lately, newest first: a message that went by can be read again. */
export function RecentMessages() {
  const { entries } = useToastRecord()
  return (
    <Paper withBorder shadow="md" px="md" py="sm" className={classes.recent}>
      <Text fw={600}>{texts.toastsRecent}</Text>
      {entries.length === 0 && (
        <Text fz="sm" c="dimmed">
          {texts.toastsNone}
        </Text>
      )}
      <ul>
        {entries.map(({ id, title, message }) => (
          <li key={id}>
            <Text fz="sm" fw={600}>
              {title}
            </Text>
            {message}
          </li>
        ))}
      </ul>
    </Paper>
  )
}
