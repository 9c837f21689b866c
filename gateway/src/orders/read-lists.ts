import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { Lookup } from '../exchanges/order-lookup/order-key.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'

/** So many sets of lists are kept; then the oldest goes. */
const SETS_MAX = 200

/** Sends a call, or returns the verdict of an earlier one. */
export type AskOnce = (call: UpstreamCall) => Promise<Verdict>

/**
 * Lists of orders that are read once, because they are about a time that has passed. The lists of a
 * set are kept and forgotten together: an order that went from the first one to the second must not
 * be missed because only the first one is read again.
 */
export class ReadLists {
  readonly #sets = new Map<string, Map<string, Promise<Verdict>>>()

  /**
   * @param whose the client whose orders they are
   * @param lookups the first call of each list of the set, in the order in which they are read
   */
  of(whose: string, lookups: readonly Lookup[], ask: AskOnce): AskOnce {
    const name = `${whose} ${JSON.stringify(lookups.map(({ call }) => call))}`
    const verdicts = this.#setOf(name)
    return (call) => {
      const text = JSON.stringify(call)
      const known = verdicts.get(text)
      if (known !== undefined) return known
      const asked = ask(call)
      // Who comes meanwhile waits for the same response.
      verdicts.set(text, asked)
      const forget = () => void verdicts.delete(text)
      asked.then(({ kind }) => (kind === 'ok' ? undefined : forget()), forget)
      return asked
    }
  }

  #setOf(name: string): Map<string, Promise<Verdict>> {
    const known = this.#sets.get(name)
    if (known !== undefined) return known
    const [oldest] = this.#sets.keys()
    if (oldest !== undefined && this.#sets.size >= SETS_MAX) this.#sets.delete(oldest)
    const verdicts = new Map<string, Promise<Verdict>>()
    this.#sets.set(name, verdicts)
    return verdicts
  }
}
