import { randomUUID } from 'node:crypto'

/**
 * A request id that begins with the time (RFC 9562, UUIDv7): a log of many days finds it by its
 * time, and the journal appends its rows instead of inserting them anywhere.
 */
export function createRequestId(nowMs: number): string {
  const time = Math.floor(nowMs).toString(16).padStart(12, '0')
  // The random part is that of a version 4; its 14th digit is the version.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** When a request came, by its id. */
export function timeOfRequestId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
