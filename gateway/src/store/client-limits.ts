import { type ClientLimits, type LimitsWithUsage, NO_LIMITS } from 'schema'
import type { ClientRow } from './client-store.ts'

/** The limits of a client; those that were never set are none. */
export function limitsOf({ limits }: Pick<ClientRow, 'limits'>): ClientLimits {
  return { ...NO_LIMITS, ...limits }
}

/** Whether the client's limits say that it has expired. */
export function hasExpired(limits: Pick<ClientLimits, 'expiresAt'> | null, nowMs: number): boolean {
  const expiresAt = limits?.expiresAt ?? null
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs
}

/** The stop of a client that is in force; null when there is none. */
export function stopOf({
  stoppedAtMs,
  stopReason,
}: Pick<ClientRow, 'stoppedAtMs' | 'stopReason'>): LimitsWithUsage['stopped'] {
  if (stoppedAtMs === null) return null
  return { reason: stopReason ?? '', at: new Date(stoppedAtMs).toISOString() }
}

/** What a client may do: its limits, and the reason of a stop that is in force. */
export function mandateOf(client: ClientRow) {
  return { limits: limitsOf(client), stopReason: stopOf(client)?.reason }
}
