import type { FastifyRequest } from 'fastify'
import type { ClientLimits, Permission, Role } from 'schema'
import { TokenMissingError } from './errors.ts'

/** A bot with a client token. */
export interface ClientCaller {
  readonly kind: 'client'
  /** The client's database id. */
  readonly clientRef: number
  readonly clientId: string
  /** The permissions that the token carries and the client still has. */
  readonly permissions: readonly Permission[]
  /** The client's limits when the request came; null when none were ever set. */
  readonly limits: ClientLimits | null
}

/** An administrator with a session token. */
export interface AdminCaller {
  readonly kind: 'admin'
  readonly adminId: number
  readonly email: string
  readonly jti: string
  readonly role: Role
  /** When the person last showed a factor in this session. */
  readonly confirmedAtMs: number
  readonly hasSecondFactor: boolean
  /** Whether the person signed in at the OpenID Connect provider. */
  readonly isOpenId: boolean
}

export type Caller = ClientCaller | AdminCaller

/** @throws TokenMissingError which the guard has thrown before */
export function adminOf({ caller }: Pick<FastifyRequest, 'caller'>): AdminCaller {
  if (caller?.kind !== 'admin') throw new TokenMissingError()
  return caller
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent the request; null on a public route. */
    caller: Caller | null
    /** Why an administrator may allow nothing more than before; null: they may. */
    whyNotLoosen: Error | null
    /** When the headers were looked at, by the process's clock; 0 before. */
    guardedAtMs: number
  }
}
