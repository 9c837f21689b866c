import type { FastifyRequest, onRequestHookHandler, preValidationHookHandler } from 'fastify'
import { cancelOwnOrders, type Endpoint, putHeartbeat, withdrawRequest } from 'schema'
import type { ClientBudget } from '../../http/client-budget.ts'
import { permissionFor } from '../../http/route.ts'
import { notSent } from '../../lane/errors.ts'
import type { AdminAccess, Caller, ClientAccess } from './access.ts'
import { originOf } from './access.ts'
import { ScopeInsufficientError, TokenInvalidError, TokenMissingError } from './errors.ts'

export interface Authenticators {
  admin(token: string): Promise<Caller>
  client(token: string): Promise<Caller>
  /**
   * A client by its secret in place of a token.
   * @param check throws what the client may not do; that is a refused secret too
   */
  clientSecret(
    given: GivenSecret,
    request: FastifyRequest,
    check: (caller: Caller) => Caller,
  ): Promise<Caller>
}

/** A client id, and what its sender says is its secret. */
export interface GivenSecret {
  readonly clientId: string
  readonly clientSecret: string
}

/** What decides on a caller who is known. */
export interface Accesses {
  readonly adminAccess: AdminAccess
  readonly clientAccess: ClientAccess
}

/**
 * A hook that rejects a request without a token of the required kind and permission. It first
 * rejects requests without a token, or with another text in its place, because they may come in
 * floods; then those beyond the budget of their client, and those that the role of the
 * administrator does not cover.
 */
export function guard(
  endpoint: Endpoint,
  authenticate: Authenticators,
  { adminAccess, clientAccess }: Accesses,
  budget: Pick<ClientBudget, 'takeRequest'>,
): onRequestHookHandler {
  const { access } = endpoint
  if (access === 'public') throw new Error(`${endpoint.id} is public and needs no guard`)
  return (request, _reply, done) => {
    request.guardedAtMs = performance.now()
    const authenticated = authenticateBearer(request, access, authenticate, clientAccess)
    if (authenticated instanceof Error) return done(authenticated)
    authenticated
      .then((caller) => {
        if (caller.kind === 'admin')
          return adminAccess.require(endpoint, caller).then((error) => {
            request.whyNotLoosen = error
          })
        const refused = takeRequest(caller, request)
        if (refused === undefined) checkPermission(request)
        return refused
      })
      .then(() => done(), done)
  }

  function takeRequest(caller: Caller, request: FastifyRequest): undefined | Promise<never> {
    if (caller.kind !== 'client') return undefined
    return budget.takeRequest(caller.clientId, isUrgent(endpoint, request) ? 'urgent' : 'other')
  }
}

/** A body that is not there so long after the headers is late. */
const LATE_MS = 1_000

/**
 * A hook that looks at a client again whose request's body came late: its secret may have been
 * replaced, or its addresses changed. Honest requests come in one piece, so this costs them
 * nothing.
 */
export function guardLate(
  authenticate: Authenticators,
  access: ClientAccess,
): preValidationHookHandler {
  return (request, _reply, done) => {
    if (performance.now() - request.guardedAtMs < LATE_MS) return done()
    const authenticated = authenticateBearer(request, 'client', authenticate, access)
    if (authenticated instanceof Error) return done(authenticated)
    authenticated.then(() => checkPermission(request)).then(() => done(), done)
  }
}

/** What limits a loss and is not a cancel. */
const URGENT: ReadonlySet<string> = new Set([
  putHeartbeat.id,
  withdrawRequest.id,
  cancelOwnOrders.id,
])

/** Whether a request limits a loss: a cancel, by its path, or a heartbeat. */
function isUrgent(endpoint: Endpoint, request: FastifyRequest): boolean {
  if (URGENT.has(endpoint.id) || endpoint.proxy?.requestClass === 'cancel') return true
  try {
    // On an exchange's own paths this reads which call it is.
    permissionFor(request)
  } catch {
    return false // Nobody may call this path; the check of the permission says why.
  }
  return request.rawCall?.kind === 'cancel'
}

/** @throws why the client may not call now, or not from there */
function checkAccess(request: FastifyRequest, access: ClientAccess): void {
  const { caller, headers, routeOptions } = request
  if (caller?.kind !== 'client') return
  const error = access.refusal(caller, originOf(request))
  if (error === undefined) return
  // An earlier request with the same idempotency key may have been sent.
  const isProxied = routeOptions.config.endpoint?.proxy !== undefined
  throw isProxied && headers['idempotency-key'] === undefined ? notSent(error) : error
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

/**
 * Who sends a request, once the client is known to be one that may call now and from there.
 * @returns the error of a request without a token, or with another text in its place
 */
function authenticateBearer(
  request: FastifyRequest,
  access: 'admin' | 'client',
  authenticate: Authenticators,
  clientAccess: ClientAccess,
): Promise<Caller> | Error {
  const check = (caller: Caller) => {
    request.caller = caller
    checkAccess(request, clientAccess)
    return caller
  }
  const token = bearerOf(request)
  if (token !== undefined)
    return TOKEN_FORM.test(token)
      ? authenticate[access](token).then(check)
      : new TokenInvalidError()
  const secret = bearerSecretOf(request)
  return secret === undefined
    ? new TokenMissingError()
    : authenticate.clientSecret(secret, request, check)
}

/** Three parts of base64url, the last an HS256 signature of 32 bytes. */
export const TOKEN_FORM = /^[\w-]+\.[\w-]+\.[\w-]{43}$/

/**
 * The token in the Authorization header, the only place where one is accepted (RFC 6750, 2.3);
 * undefined when there is none.
 */
export function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer +([\w.~+/=-]+) *$/i.exec(request.headers.authorization ?? '')?.[1]
}

/**
 * The client id and secret that a call on an exchange's own path has in place of a token; undefined
 * when it has none. The id may contain colons, a secret never does; longer ids do not exist.
 */
export function bearerSecretOf({ routeOptions, headers }: FastifyRequest): GivenSecret | undefined {
  if (routeOptions.config.isRaw !== true) return undefined
  const bearer = /^Bearer +(\S{1,128}):([^\s:]+) *$/i.exec(headers.authorization ?? '')
  const [, clientId, clientSecret] = bearer ?? []
  return clientId === undefined || clientSecret === undefined
    ? undefined
    : { clientId, clientSecret }
}
