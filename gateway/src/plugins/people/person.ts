import { createError } from '@fastify/error'
import type { FastifyRequest } from 'fastify'
import type { AdminSession } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import type { SessionRow } from '../../store/admin-session-store.ts'
import type { AdminRow } from '../../store/admin-store.ts'

export const PersonNotFoundError = createError<[id: string]>(
  'PERSON_NOT_FOUND',
  'Nobody has the id "%s"',
  404,
)

export const NoPasswordError = createError<[provider: string]>(
  'NO_PASSWORD',
  'This account has no password: the person signs in at %s',
  409,
)

export const SessionNotFoundError = createError<[id: string]>(
  'SESSION_NOT_FOUND',
  'You have no valid session with the id "%s"; it may have ended',
  404,
)

export type PeopleParts = Pick<Parts, 'stores' | 'vault' | 'config' | 'nowMs'>

/** Who asks, and in which session. */
export interface Self {
  readonly adminId: number
  readonly jti: string
}

/** @throws SessionNotFoundError without a session, which the guard has rejected before */
export function selfOf({ caller }: FastifyRequest): Self {
  if (caller?.kind !== 'admin') throw new SessionNotFoundError('')
  return caller
}

/** @throws PersonNotFoundError */
export async function findPerson({ stores }: PeopleParts, id: number): Promise<AdminRow> {
  const admin = await stores.admins.find(id)
  if (admin === undefined) throw new PersonNotFoundError(String(id))
  return admin
}

/** The subject of an entry about a person. */
export const ofPerson = (email: string) => ({ subjectKind: 'admin', subject: email })

/** The provider that gives a person the role; null when an admin does, here. */
export async function providerOf(
  { stores, config: { openId } }: PeopleParts,
  adminId: number,
): Promise<string | null> {
  if (openId === undefined) return null
  const subject = await stores.openIds.subjectOf(adminId, openId.issuer)
  return subject === undefined ? null : openId.name
}

/** The sessions that are valid now, the one that was used last first: of a person, or of all. */
export function validSessions(
  { stores, config, nowMs }: PeopleParts,
  adminId?: number,
): Promise<SessionRow[]> {
  return stores.adminSessions.listValid({ nowMs: nowMs(), idleMs: config.sessions.idleMs }, adminId)
}

/** @param currentJti the session that asks */
export function toSession(
  { config }: PeopleParts,
  row: SessionRow,
  currentJti: string,
): AdminSession {
  const { jti, device, address, factor, lastUsedAtMs, expiresAtMs } = row
  return {
    id: jti,
    createdAt: isoOf(row.issuedAtMs),
    lastUsedAt: isoOf(lastUsedAtMs),
    endsAt: isoOf(Math.min(lastUsedAtMs + config.sessions.idleMs, expiresAtMs)),
    expiresAt: isoOf(expiresAtMs),
    ...{ device, address, factor },
    isCurrent: jti === currentJti,
  }
}

export const isoOf = (ms: number) => new Date(ms).toISOString()
