import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Endpoint } from 'schema'
import { permissionFor } from '../../http/route.ts'
import type { Caller } from './caller.ts'
import { ScopeInsufficientError, TokenMissingError } from './errors.ts'

export interface Authenticators {
  admin(token: string): Promise<Caller>
  client(token: string): Promise<Caller>
}

/** A hook that rejects a request without a token of the required kind and permission. */
export function guard(endpoint: Endpoint, authenticate: Authenticators): preValidationHookHandler {
  const { access } = endpoint
  if (access === 'public') throw new Error(`${endpoint.id} is public and needs no guard`)
  return async (request: FastifyRequest) => {
    const caller = await authenticate[access](bearerOf(request))
    request.caller = caller
    checkPermission(request)
  }
}

/**
 * Checks the permission of a caller who is known. Runs again once the body is read, because the
 * permission that a call needs may depend on it.
 */
export function checkPermission(request: FastifyRequest): void {
  const { caller } = request
  const needed = permissionFor(request)
  if (needed !== undefined && caller?.kind === 'client' && !caller.permissions.includes(needed))
    throw new ScopeInsufficientError(needed)
}

/** The token in the Authorization header, the only place where one is accepted (RFC 6750, 2.3). */
function bearerOf(request: FastifyRequest): string {
  const [, token] = /^Bearer +([\w.~+/=-]+) *$/i.exec(request.headers.authorization ?? '') ?? []
  if (token === undefined) throw new TokenMissingError()
  return token
}
