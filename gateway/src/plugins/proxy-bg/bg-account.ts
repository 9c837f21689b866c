import type { BgAccountRow, bgGetAccountInfo, QueryOf } from 'schema'
import {
  accountIdCall,
  futuresAccountsCall,
  spotAssetsCall,
} from '../../exchanges/bitget/account-calls.ts'
import { accountIdOf, futuresRows, spotRows } from '../../exchanges/bitget/account-rows.ts'
import type { RequestContext } from '../../upstream/request-context.ts'
import type { Upstream } from '../../upstream/upstream.ts'

export interface BgAccountDeps {
  readonly upstream: Pick<Upstream, 'ask' | 'keysIdOf'>
  readonly nowMs: () => number
}

/** At most this many account ids are cached, one per stored key. */
const ACCOUNT_IDS_MAX = 10_000

/**
 * Bitget's account as the documented route shows it: spot and futures in one list, each row with
 * the account's id.
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
    const { upstream, nowMs } = this.#deps
    const id = await this.#accountId(context)
    const askForSpot = () =>
      upstream.ask(context, spotAssetsCall(), (data) => spotRows(id, data, nowMs()))
    const askForFutures = () =>
      upstream.ask(context, futuresAccountsCall(), (data) => futuresRows(id, data, nowMs()))
    const spot = accountType === 'futures' ? [] : await askForSpot()
    const futures = accountType === 'spot' ? [] : await askForFutures()
    return [...spot, ...futures]
  }

  async #accountId(context: RequestContext): Promise<string> {
    const { upstream } = this.#deps
    const keysId = await upstream.keysIdOf(context)
    const known = this.#idByKeys.get(keysId)
    if (known !== undefined) return known
    const id = await upstream.ask(context, accountIdCall(), accountIdOf)
    if (this.#idByKeys.size >= ACCOUNT_IDS_MAX) this.#idByKeys.clear()
    this.#idByKeys.set(keysId, id)
    return id
  }
}
