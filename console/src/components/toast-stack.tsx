import { Notifications } from '@mantine/notifications'
import { ToastCard } from './toast-card.tsx'

/** Milliseconds that a toast stays (SPECIFICATION, section 9). */
const SHOWN_MS = 5000

/** The visible toast, at most one; without transitions, so that a newer one replaces it at once. */
export default function ToastStack() {
  return (
    <Notifications
      withinPortal={false}
      limit={1}
      autoClose={SHOWN_MS}
      transitionDuration={0}
      position="bottom-right"
      allowDragDismiss={false}
      allowScrollDismiss={false}
      renderNotification={(notification) => <ToastCard notification={notification} />}
    />
  )
}
