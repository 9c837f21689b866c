/**
 * What components say by themselves, also on the sign-in screen; all other texts come from the
 * features that use them.
 */
export const retry = 'Try again'
export const loading = 'Loading'
export const toggleSecret = 'Toggle password visibility'
export const deceptive =
  'This id may look like another one: it has letters of two scripts, or characters that are not seen'
export const closeDialog = 'Close dialog'
export const requestId = (id: string) => `Request ${id}`
export const toastsRegion = 'Notifications (F8)'
export const toastsDismiss = 'Dismiss notification'
export const toastsRecent = 'Recent messages'
export const toastsNone = 'Nothing yet'
