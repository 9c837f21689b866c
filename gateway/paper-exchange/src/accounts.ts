import { type Account, createAccount, type NewPaperAccount } from './account.ts'
import type { ExchangeCode } from './market.ts'

/** The accounts of both exchanges. */
export class Accounts {
  readonly #nowMs: () => number
  readonly #inputs: NewPaperAccount[] = []
  readonly #byKey = new Map<string, Account>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** @throws when the exchange has an account with this key or this name */
  add(input: NewPaperAccount): Account {
    const account = this.#open(input, this.#inputs.length + 1)
    this.#inputs.push(input)
    return account
  }

  /** A further key of an account, as its owner makes one before the old one is deleted. */
  addKey(account: Account, keys: Pick<NewPaperAccount, 'apiKey' | 'apiSecret' | 'passphrase'>) {
    account.otherKeys.set(keys.apiKey, keys)
    this.#byKey.set(keyOf(account.exchange, keys.apiKey), account)
  }

  byApiKey(exchange: ExchangeCode, apiKey: string): Account | undefined {
    return this.#byKey.get(keyOf(exchange, apiKey))
  }

  list(exchange?: ExchangeCode): readonly Account[] {
    const all = [...new Set(this.#byKey.values())]
    return exchange === undefined ? all : all.filter((account) => account.exchange === exchange)
  }

  /** Every account has its first balances again, no position and no setting. */
  reset(): void {
    this.#byKey.clear()
    for (const [index, input] of this.#inputs.entries()) this.#open(input, index + 1)
  }

  #open(input: NewPaperAccount, number: number): Account {
    const name = input.name ?? `${input.exchange}-${number}`
    const isTaken = this.list().some((account) => account.name === name)
    if (isTaken || this.byApiKey(input.exchange, input.apiKey) !== undefined) {
      throw new Error(`The paper exchange has an account "${name}" or one with the same key`)
    }
    const userId = `${7_290_000_000 + number}`
    const account = createAccount(input, { name, userId, nowMs: this.#nowMs })
    this.#byKey.set(keyOf(input.exchange, input.apiKey), account)
    return account
  }
}

const keyOf = (exchange: ExchangeCode, apiKey: string) => `${exchange} ${apiKey}`
