import type { Stop } from 'schema'

export const isInForce = (stop: Stop | null | undefined): stop is Stop => stop?.resumedAt === null

export const isUnderWay = (stop: Stop | null | undefined): boolean =>
  isInForce(stop) && stop.completedAt === null
