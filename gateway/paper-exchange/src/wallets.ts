import { type Decimal, decimal, maxOf, minOf, ZERO } from './exact-numbers.ts'

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

/** Where margin comes from and goes back to. */
interface Purse {
  /** What can be taken out. */
  readonly free: Decimal
  /** Takes out when below zero, never more than is free. */
  add(amount: Decimal): void
}

/** Money that is there for futures alone. */
export function createPurse(cash: Decimal): Purse {
  let free = cash
  return {
    get free() {
      return free
    },
    add(amount) {
      free = notNegative(free.plus(amount))
    },
  }
}

/**
 * The margin coin of one account. What is available is the cash without what orders freeze and
 * positions hold, and is never below zero: a loss that is larger than what may pay for it is paid
 * by the insurance.
 */
export class FuturesWallet {
  #purse: Purse
  #frozen: Decimal = ZERO
  #positionMargin: Decimal = ZERO
  #insurance: Decimal = ZERO

  constructor(purse: Purse) {
    this.#purse = purse
  }

  /** All that is there, whatever it is held for. */
  get cash(): Decimal {
    return this.available.plus(this.#frozen).plus(this.#positionMargin)
  }

  /** Held for orders that rest. */
  get frozen(): Decimal {
    return this.#frozen
  }

  get positionMargin(): Decimal {
    return this.#positionMargin
  }

  /** What the insurance paid for this account so far. */
  get insurance(): Decimal {
    return this.#insurance
  }

  get available(): Decimal {
    return this.#purse.free
  }

  /** From now on margin comes from `purse`. `amount` of what is available goes there with it. */
  moveTo(purse: Purse, amount: Decimal): void {
    this.#purse.add(amount.negated())
    purse.add(amount)
    this.#purse = purse
  }

  /** False, and nothing changes, when less is available. */
  freeze(amount: Decimal): boolean {
    if (this.available.lt(amount)) return false
    this.#purse.add(amount.negated())
    this.#frozen = this.#frozen.plus(amount)
    return true
  }

  unfreeze(amount: Decimal): void {
    this.#frozen = notNegative(this.#frozen.minus(amount))
    this.#purse.add(amount)
  }

  /** False, and nothing changes, when less is available. */
  holdMargin(amount: Decimal): boolean {
    if (this.available.lt(amount)) return false
    this.#purse.add(amount.negated())
    this.#positionMargin = this.#positionMargin.plus(amount)
    return true
  }

  releaseMargin(amount: Decimal): void {
    this.#positionMargin = notNegative(this.#positionMargin.minus(amount))
    this.#purse.add(amount)
  }

  /** Books a profit, or a loss of at most `lossMax`. */
  settle(profit: Decimal, lossMax: Decimal): void {
    const borne = maxOf(profit, minOf(lossMax, this.available).negated())
    this.#insurance = this.#insurance.plus(borne.minus(profit))
    this.#purse.add(borne)
  }

  /** Takes a fee, at most what is available, and returns how much it took. */
  pay(fee: Decimal): Decimal {
    const paid = minOf(fee, this.available)
    this.#purse.add(paid.negated())
    return paid
  }
}

function notNegative(amount: Decimal): Decimal {
  if (amount.lt(ZERO)) throw new Error('More is taken out of a purse than it holds')
  return amount
}
