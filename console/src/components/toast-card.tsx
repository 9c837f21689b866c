import { Notification } from '@mantine/core'
import { useDrag } from '@mantine/hooks'
import { type NotificationData, notifications } from '@mantine/notifications'
import { useState } from 'react'
import * as texts from './texts.ts'

/** A swipe to the right of this many pixels dismisses; to the left nothing does. */
const SWIPE_PX = 50

/**
 * One visible toast; Mantine's own gestures know neither direction nor threshold and are switched
 * off.
 */
export function ToastCard({ notification }: { notification: NotificationData }) {
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
      onClose={() => notifications.hide(id)}
      closeButtonProps={{ 'aria-label': texts.toastsDismiss }}
      style={{ transform: `translateX(${offsetPx}px)`, touchAction: 'pan-y' }}
    >
      {message}
    </Notification>
  )
}
