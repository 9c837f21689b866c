export const inForce = (reason: string) => `Stopped: ${reason}`
export const since = (time: string) => `Since ${time}`
export const underWay = 'Cancelling its working orders...'
export const complete = (time: string) => `Complete since ${time}`
export const figures = {
  dropped: 'Dropped',
  inFlight: 'Already sent',
  cancelled: 'Cancelled',
  failed: 'Not cancelled',
} as const
export const failed = {
  title: 'Orders that may still be working',
  order: (id: string) => `order ${id}`,
} as const
