import type { ClientLimits } from 'schema'
import { isInNetworks } from '../../http/networks.ts'
import { hasExpired } from '../../store/client-limits.ts'
import { ClientExpiredError } from '../../upstream/errors.ts'
import type { Events, LimitReached } from '../../upstream/events.ts'
import { AddressForbiddenError } from './errors.ts'

export interface ClientAccessDeps {
  readonly events: Pick<Events, 'emit'>
  readonly nowMs: () => number
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
export function createClientAccess({ events, nowMs }: ClientAccessDeps) {
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
     */
    refusal(client: LimitedClient, origin: Origin): Error | undefined {
      const error = errorOf(client, origin)
      if (error === undefined) return undefined
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
