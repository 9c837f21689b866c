import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { ClientStore } from '../store/client-store.ts'
import type { ClientKeys } from './client-keys.ts'
import { AccountSharedError, ClientSwitchedOffError, PermissionWithdrawnError } from './errors.ts'
import type { RequestContext } from './request-context.ts'

export interface LateCheckDeps {
  readonly exchange: ExchangeCode
  readonly clients: Pick<ClientStore, 'find'>
  readonly keys: Pick<ClientKeys, 'isShared'>
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
    const { clientRef, permission } = context
    const client = await this.#deps.clients.find(clientRef)
    if (client?.active !== true) return new ClientSwitchedOffError()
    if (permission !== undefined && !client.permissions.includes(permission))
      return new PermissionWithdrawnError(permission)
    return this.reachError(context, call)
  }

  /** The error of a call that would reach what other clients with the same key opened. */
  async reachError(
    { clientRef }: Pick<RequestContext, 'clientRef'>,
    { isAccountWide = false }: UpstreamCall,
  ): Promise<undefined | AccountSharedError> {
    const { exchange, keys } = this.#deps
    if (!isAccountWide || !(await keys.isShared(clientRef, exchange))) return undefined
    return new AccountSharedError(EXCHANGE_NAMES[exchange])
  }
}
