import type { Permission } from 'schema'

/** A bot, by its client token. */
export interface ClientCaller {
  readonly kind: 'client'
  /** The client's database id. */
  readonly clientRef: number
  readonly clientId: string
  /** What the token carries and the client still has. */
  readonly permissions: readonly Permission[]
}

/** An administrator, by a session token. */
export interface AdminCaller {
  readonly kind: 'admin'
  readonly adminId: number
  readonly email: string
  readonly jti: string
}

export type Caller = ClientCaller | AdminCaller

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling; null on a public route. */
    caller: Caller | null
  }
}
