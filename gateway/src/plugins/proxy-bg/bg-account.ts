import type { BgAccountRow, bgGetAccountInfo, QueryOf } from 'schema'
import type { RequestContext } from '../../upstream/request-context.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { BgCalls } from './bg-calls.ts'

export interface BgAccountDeps {
  readonly upstream: Pick<Upstream, 'accountRefOf'>
  readonly calls: BgCalls
}

/** At most this many account ids are cached, one per stored key. */
const ACCOUNT_IDS_MAX = 10_000

/**
 * Bitget's balances as the documented route shows them: in one list, each with the account's id.
 */
export class BgAccount {
  readonly #deps: BgAccountDeps
  readonly #idByKeys = new Map<number, string>()

  constructor(deps: BgAccountDeps) {
    this.#deps = deps
  }

  async rows(
    context: RequestContext,
    { accountType }: QueryOf<typeof bgGetAccountInfo>,
  ): Promise<BgAccountRow[]> {
    const id = await this.#accountId(context)
    return this.#deps.calls.make(context, (api, calls) => api.balances(calls, id, accountType))
  }

  async #accountId(context: RequestContext): Promise<string> {
    const { upstream, calls } = this.#deps
    const keysId = await upstream.accountRefOf(context)
    const known = this.#idByKeys.get(keysId)
    if (known !== undefined) return known
    const id = await calls.make(context, (api, bitget) => api.accountId(bitget))
    if (this.#idByKeys.size >= ACCOUNT_IDS_MAX) this.#idByKeys.clear()
    this.#idByKeys.set(keysId, id)
    return id
  }
}
