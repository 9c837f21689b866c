import { notifications } from '@mantine/notifications'
import { addToast, dismissToast, type ToastEntry } from './toast-record.ts'

export type Toast = Pick<ToastEntry, 'title' | 'message'> & { readonly tone?: ToastEntry['tone'] }

const COLOURS = { success: 'green', failure: 'red', info: 'blue' } as const
let count = 0

/**
 * Shows a message for 5 s in place of the one that is visible. Failures interrupt screen readers,
 * others do not.
 */
export function toast({ title, message, tone = 'success' }: Toast): void {
  count += 1
  const id = `toast-${count}`
  // `limit` alone would keep the older one and queue this; clean() reports no close.
  notifications.clean()
  addToast({ id, title, message, tone })
  notifications.show({
    id,
    title,
    message,
    color: COLOURS[tone],
    role: tone === 'failure' ? 'alert' : 'status',
    onClose: () => dismissToast(id),
  })
}
