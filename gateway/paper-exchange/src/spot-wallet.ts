import { type Decimal, decimal, ZERO } from './decimal.ts'
import type { Purse } from './futures-wallet.ts'

export interface SpotBalance {
  readonly coin: string
  free: Decimal
  locked: Decimal
  changedAtMs: number
}

/** Coins of one account: free, or locked by orders that rest. No amount is ever below zero. */
export class SpotWallet {
  readonly #balances = new Map<string, SpotBalance>()
  readonly #nowMs: () => number

  constructor(amounts: Readonly<Record<string, string>>, nowMs: () => number) {
    this.#nowMs = nowMs
    for (const [coin, amount] of Object.entries(amounts)) this.credit(coin, decimal(amount))
  }

  list(): readonly Readonly<SpotBalance>[] {
    return [...this.#balances.values()]
  }

  free(coin: string): Decimal {
    return this.#balances.get(coin)?.free ?? ZERO
  }

  /** False, and nothing changes, when less than `amount` is free. */
  lock(coin: string, amount: Decimal): boolean {
    const balance = this.#of(coin)
    if (balance.free.lt(amount)) return false
    balance.free = balance.free.minus(amount)
    balance.locked = balance.locked.plus(amount)
    return true
  }

  unlock(coin: string, amount: Decimal): void {
    this.spend(coin, amount)
    this.credit(coin, amount)
  }

  /** Takes locked coins away. @throws when fewer are locked, which is an error of this program */
  spend(coin: string, amount: Decimal): void {
    const balance = this.#of(coin)
    if (balance.locked.lt(amount)) throw new Error(`More ${coin} is spent than is locked`)
    balance.locked = balance.locked.minus(amount)
  }

  credit(coin: string, amount: Decimal): void {
    const balance = this.#of(coin)
    balance.free = balance.free.plus(amount)
  }

  /** The free coins as margin: of a unified account, where one pot is for everything. */
  purse(coin: string): Purse {
    const free = () => this.free(coin)
    return {
      get free() {
        return free()
      },
      add: (amount) => {
        if (!amount.isNegative()) return this.credit(coin, amount)
        if (!this.lock(coin, amount.negated()))
          throw new Error(`More ${coin} is taken than is free`)
        this.spend(coin, amount.negated())
      },
    }
  }

  #of(coin: string): SpotBalance {
    const known = this.#balances.get(coin)
    const balance = known ?? { coin, free: ZERO, locked: ZERO, changedAtMs: 0 }
    if (known === undefined) this.#balances.set(coin, balance)
    balance.changedAtMs = this.#nowMs()
    return balance
  }
}
