import { useMediaQuery } from '@mantine/hooks'
import { Notifications } from '@mantine/notifications'
import { ToastCard } from './toast-card.tsx'
import { useToastRecord } from './toast-record.ts'

export { RecentMessages } from './recent-messages.tsx'

/** Milliseconds that a toast stays (docs/console-checklist.md, 214). */
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
