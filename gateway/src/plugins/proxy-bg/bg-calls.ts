import {
  accountApiOf,
  type BitgetAccountApi,
  type BitgetCalls,
} from '../../exchanges/bitget/account-api.ts'
import type { RequestContext } from '../../upstream/request-context.ts'
import type { Upstream } from '../../upstream/upstream.ts'

/** Makes the calls of a documented route for a client's kind of account. */
export class BgCalls {
  readonly #upstream: Pick<Upstream, 'ask' | 'inAccountKind' | 'accountKindOf'>
  readonly #nowMs: () => number

  constructor(
    upstream: Pick<Upstream, 'ask' | 'inAccountKind' | 'accountKindOf'>,
    nowMs: () => number,
  ) {
    this.#upstream = upstream
    this.#nowMs = nowMs
  }

  /** How the documented routes are written for the client's account. */
  async apiOf(context: RequestContext): Promise<BitgetAccountApi> {
    return accountApiOf(await this.#upstream.accountKindOf(context))
  }

  /**
   * Makes calls for the client's account; once more when it turns out to be of the other kind.
   * @param jobClass absent: the class of a read
   */
  make<T>(
    context: RequestContext,
    calls: (api: BitgetAccountApi, calls: BitgetCalls) => Promise<T>,
    jobClass?: Parameters<Upstream['ask']>[3],
  ): Promise<T> {
    const upstream = this.#upstream
    return upstream.inAccountKind(context, (kind) =>
      calls(accountApiOf(kind), {
        ask: (call, read) => upstream.ask(context, call, read, jobClass),
        nowMs: this.#nowMs,
      }),
    )
  }
}
