import { type Decimal, maxOf, minOf, ZERO } from './decimal.ts'

/**
 * The margin coin of one account. What is available is the cash without what orders freeze and positions hold,
 * and is never below zero: a loss that is larger than what may pay for it is paid by the insurance.
 */
export class FuturesWallet {
  #cash: Decimal
  #frozen: Decimal = ZERO
  #positionMargin: Decimal = ZERO
  #insurance: Decimal = ZERO

  constructor(cash: Decimal) {
    this.#cash = cash
  }

  get cash(): Decimal {
    return this.#cash
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
    return this.#cash.minus(this.#frozen).minus(this.#positionMargin)
  }

  /** False, and nothing changes, when less is available. */
  freeze(amount: Decimal): boolean {
    if (this.available.lt(amount)) return false
    this.#frozen = this.#frozen.plus(amount)
    return true
  }

  unfreeze(amount: Decimal): void {
    this.#frozen = notNegative(this.#frozen.minus(amount))
  }

  /** False, and nothing changes, when less is available. */
  holdMargin(amount: Decimal): boolean {
    if (this.available.lt(amount)) return false
    this.#positionMargin = this.#positionMargin.plus(amount)
    return true
  }

  releaseMargin(amount: Decimal): void {
    this.#positionMargin = notNegative(this.#positionMargin.minus(amount))
  }

  /** Books a profit, or a loss of at most `lossMax`. */
  settle(profit: Decimal, lossMax: Decimal): void {
    const borne = maxOf(profit, minOf(lossMax, this.available).negated())
    this.#insurance = this.#insurance.plus(borne.minus(profit))
    this.#cash = this.#cash.plus(borne)
  }

  /** Takes a fee, at most what is available, and tells how much it took. */
  pay(fee: Decimal): Decimal {
    const paid = minOf(fee, this.available)
    this.#cash = this.#cash.minus(paid)
    return paid
  }
}

function notNegative(amount: Decimal): Decimal {
  if (amount.lt(ZERO)) throw new Error('More margin is given back than was held')
  return amount
}
