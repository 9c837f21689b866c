import type { FastifyRequest } from 'fastify'
import {
  type ClientLimits,
  CONFIRMED_SECONDS,
  type Endpoint,
  hasRole,
  type Permission,
  type Role,
  roleOf,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { pathOf, RoleForbiddenError } from '../../http/errors.ts'
import { isInNetworks } from '../../http/networks.ts'
import { exactAddress } from '../../http/request-origin.ts'
import { hasExpired } from '../../store/client-store.ts'
import { ClientExpiredError } from '../../upstream/errors.ts'
import type { Events, LimitReached } from '../../upstream/events.ts'
import {
  AddressForbiddenError,
  FreshFactorNeededError,
  SecondFactorRequiredError,
  TokenMissingError,
} from './errors.ts'
import type { FactorCheck } from './factor-check.ts'

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

/** What an administrator may call: by role, by second factor, and by how lately one was shown. */
export function createAdminAccess(
  { config: { requireSecondFactor }, nowMs }: Pick<Parts, 'config' | 'nowMs'>,
  factors: Pick<FactorCheck, 'factorsOf'>,
) {
  return {
    /**
     * @returns why the caller may not allow more than before, where the endpoint asks for a factor
     * only then; null when they may
     * @throws RoleForbiddenError, SecondFactorRequiredError, FreshFactorNeededError
     */
    async require(endpoint: Endpoint, caller: AdminCaller): Promise<FreshFactorNeededError | null> {
      const needed = roleOf(endpoint)
      if (!hasRole(caller.role, needed)) throw new RoleForbiddenError(caller.role, needed)
      if (requireSecondFactor && lacksFactor(endpoint, caller))
        throw new SecondFactorRequiredError()
      if (!mustBeConfirmed(endpoint, caller) || nowMs() < confirmedUntilMs(caller)) return null
      const error = new FreshFactorNeededError(await factors.factorsOf(caller))
      if (endpoint.confirm !== 'to-loosen') throw error
      return error
    },
  }
}
export type AdminAccess = ReturnType<typeof createAdminAccess>

function lacksFactor({ isOwnAccount }: Endpoint, caller: AdminCaller): boolean {
  return isOwnAccount !== true && !isWellKnown(caller)
}

function mustBeConfirmed({ confirm }: Endpoint, caller: AdminCaller): boolean {
  return confirm === 'second-factor' ? isWellKnown(caller) : confirm !== undefined
}

/** Whether more than a password is asked of the person: here, or at the provider. */
function isWellKnown({ hasSecondFactor, isOpenId }: AdminCaller): boolean {
  return hasSecondFactor || isOpenId
}

function confirmedUntilMs({ confirmedAtMs }: AdminCaller): number {
  return confirmedAtMs + CONFIRMED_SECONDS * 1000
}

/** Where a request comes from, and what it asks for. */
export interface Origin extends Pick<LimitReached, 'exchange' | 'endpoint'> {
  readonly address: string
}

interface LimitedClient {
  readonly clientId: string
  readonly limits: ClientLimits | null
}

/** Until when and from where a client may be used. */
export function createClientAccess({
  events,
  nowMs,
}: {
  readonly events: Pick<Events, 'emit'>
  readonly nowMs: () => number
}) {
  function errorOf({ limits }: LimitedClient, { address }: Origin) {
    if (limits === null) return undefined
    const { expiresAt, allowedIps } = limits
    if (hasExpired(limits, nowMs())) return new ClientExpiredError(expiresAt ?? '')
    if (allowedIps === null || isInNetworks(address, allowedIps)) return undefined
    return new AddressForbiddenError(address)
  }

  return {
    /**
     * Why a client may not call; undefined when it may. The mode `shadow` records the refusal, and
     * lets the client call.
     * @param isCall false: it called before, and may keep a stream. `shadow` records nothing then
     */
    refusal(client: LimitedClient, origin: Origin, isCall = true): Error | undefined {
      const error = errorOf(client, origin)
      if (error === undefined || (client.limits?.mode === 'shadow' && !isCall)) return undefined
      const { clientId, limits } = client
      const { exchange, endpoint } = origin
      const code = error instanceof ClientExpiredError ? 'CLIENT_EXPIRED' : 'ADDRESS_FORBIDDEN'
      const mode = limits?.mode ?? 'enforce'
      events.emit('limitReached', { code, clientId, exchange, mode, endpoint })
      return mode === 'shadow' ? undefined : error
    },
  }
}
export type ClientAccess = ReturnType<typeof createClientAccess>

/** Where a request comes from, behind trusted proxies too, and what it asks for. */
export function originOf(request: FastifyRequest): Origin {
  return {
    address: exactAddress(request),
    exchange: request.routeOptions.config.endpoint?.proxy?.exchange ?? null,
    endpoint: pathOf(request.url),
  }
}
