import type { AdminSession } from 'schema'
import type { SessionRow } from '../../store/admin-session-store.ts'

/** How long sessions last unused, and which one asks. */
export interface SessionView {
  readonly idleMs: number
  readonly currentJti: string
}

export function toSession(row: SessionRow, { idleMs, currentJti }: SessionView): AdminSession {
  const { jti, device, address, factor, lastUsedAtMs, expiresAtMs } = row
  return {
    id: jti,
    createdAt: isoOf(row.issuedAtMs),
    lastUsedAt: isoOf(lastUsedAtMs),
    endsAt: isoOf(Math.min(lastUsedAtMs + idleMs, expiresAtMs)),
    expiresAt: isoOf(expiresAtMs),
    ...{ device, address, factor },
    isCurrent: jti === currentJti,
  }
}

export const isoOf = (ms: number) => new Date(ms).toISOString()
