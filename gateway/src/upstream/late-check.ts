import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { notSent } from '../lane/errors.ts'
import { hasExpired } from '../store/client-limits.ts'
import type { ClientRow, ClientStore } from '../store/client-store.ts'
import type { ClientKeys } from './client-keys.ts'
import {
  AccountSharedError,
  ClientExpiredError,
  ClientSwitchedOffError,
  PermissionWithdrawnError,
} from './errors.ts'
import type { Events } from './events.ts'
import type { RequestContext } from './request-context.ts'

export interface LateCheckDeps {
  readonly exchange: ExchangeCode
  readonly clients: Pick<ClientStore, 'find'>
  readonly keys: Pick<ClientKeys, 'othersWithKeyOf'>
  readonly events: Pick<Events, 'emit'>
  /** The wall clock. */
  readonly nowMs: () => number
}

/** Checks what can change while a request waits: the client, and who shares its keys. */
export class LateCheck {
  readonly #deps: LateCheckDeps

  constructor(deps: LateCheckDeps) {
    this.#deps = deps
  }

  /**
   * Just before a call is sent.
   * @returns why it must not be sent; undefined when it may
   */
  async mayGo(context: RequestContext, call: UpstreamCall): Promise<undefined | Error> {
    const { clientRef, permission, readSinceMs } = context
    const client = await this.#deps.clients.find(clientRef, readSinceMs)
    if (client?.active !== true) return new ClientSwitchedOffError()
    const expired = this.#expiredError(client, context)
    if (expired !== undefined) return expired
    if (permission !== undefined && !client.permissions.includes(permission))
      return new PermissionWithdrawnError(permission)
    return this.reachError(context, call)
  }

  /**
   * The error of a client that expired while its request waited. The mode `shadow` records nothing
   * here: a client that had expired before was recorded when its request came.
   */
  #expiredError({ clientId, limits }: ClientRow, { endpoint }: RequestContext): undefined | Error {
    const { exchange, events, nowMs } = this.#deps
    if (limits?.mode !== 'enforce' || !hasExpired(limits, nowMs())) return undefined
    const code = 'CLIENT_EXPIRED'
    events.emit('limitReached', { code, clientId, exchange, mode: 'enforce', endpoint })
    return notSent(new ClientExpiredError(limits.expiresAt ?? ''))
  }

  /** The error of a call that would reach what other clients with the same key opened. */
  async reachError(
    { clientRef }: Pick<RequestContext, 'clientRef'>,
    { isAccountWide = false }: UpstreamCall,
  ): Promise<undefined | AccountSharedError> {
    const { exchange, keys } = this.#deps
    if (!isAccountWide) return undefined
    const others = await keys.othersWithKeyOf(clientRef, exchange)
    return others.length === 0 ? undefined : new AccountSharedError(EXCHANGE_NAMES[exchange])
  }
}
