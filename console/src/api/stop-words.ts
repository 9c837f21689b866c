import type { Stop } from 'schema'

export const isInForce = (stop: Stop | null | undefined): stop is Stop => stop?.resumedAt === null

export const isUnderWay = (stop: Stop | null | undefined): boolean =>
  isInForce(stop) && stop.completedAt === null

export const stopWords = {
  inForce: (reason: string) => `Stopped: ${reason}`,
  since: (time: string) => `Since ${time}`,
  underWay: 'Cancelling its working orders...',
  complete: (time: string) => `Complete since ${time}`,
  figures: {
    dropped: 'Dropped',
    inFlight: 'Already sent',
    cancelled: 'Cancelled',
    failed: 'Not cancelled',
  },
  failed: {
    title: 'Orders that may still be working',
    order: (id: string) => `order ${id}`,
  },
} as const
