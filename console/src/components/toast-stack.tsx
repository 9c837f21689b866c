import { Notification, Text } from '@mantine/core'
import { useDrag, useMediaQuery } from '@mantine/hooks'
import { type NotificationData, Notifications, notifications } from '@mantine/notifications'
import { useState } from 'react'
import * as texts from './texts.ts'
import classes from './toast.module.css'
import { useToastRecord } from './toast.tsx'

/** Milliseconds that a toast stays (console-checklist.md, 214). */
const SHOWN_MS = 5000

/** The visible toast, at most one; without transitions, so that a newer one replaces it at once. */
export default function ToastStack() {
  const newest = useToastRecord(({ entries }) => entries[0]?.id)
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  return (
    <Notifications
      // Drawn anew for each toast: the library would keep the older one until its exit is over.
      key={newest}
      withinPortal={false}
      limit={1}
      autoClose={SHOWN_MS}
      transitionDuration={0}
      // Where nothing is that a person came to read: the sidebar's end, or the header.
      position={isWide ? 'bottom-left' : 'top-center'}
      allowDragDismiss={false}
      allowScrollDismiss={false}
      renderNotification={(notification) => <ToastCard notification={notification} />}
    />
  )
}

/** A swipe to the right of this many pixels dismisses; to the left nothing does. */
const SWIPE_PX = 50

/**
 * One visible toast; Mantine's own gestures know neither direction nor threshold and are switched
 * off.
 */
function ToastCard({ notification }: { notification: NotificationData }) {
  const { id = '', title, message, color } = notification
  const [offsetPx, setOffsetPx] = useState(0)
  const { ref } = useDrag<HTMLDivElement>(
    ({ movement: [movedX], last, canceled, tap }) => {
      const rightPx = Math.max(0, movedX)
      if (!last) return setOffsetPx(rightPx)
      if (!canceled && !tap && rightPx >= SWIPE_PX) return notifications.hide(id)
      setOffsetPx(0)
    },
    { axis: 'x', threshold: 5, filterTaps: true },
  )
  return (
    <Notification
      ref={ref}
      // The element around it is the live region; two would announce twice.
      role="presentation"
      title={title}
      {...(color === undefined ? {} : { color })}
      onClose={() => dismiss(id)}
      closeButtonProps={{ 'aria-label': texts.toastsDismiss }}
      style={{ transform: `translateX(${offsetPx}px)`, touchAction: 'pan-y' }}
    >
      {message}
    </Notification>
  )
}

/** The keyboard stays in the region: nothing there would fold once the focus was lost. */
function dismiss(id: string): void {
  document.activeElement?.closest<HTMLElement>(`.${classes.region}`)?.focus()
  notifications.hide(id)
}

/** What toasts said lately, newest first: a message that went by can be read again. */
export function RecentMessages() {
  const { entries } = useToastRecord()
  return (
    <div className={classes.recent}>
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
    </div>
  )
}
