import { BigNumber } from 'bignumber.js'

/** The prices between which an order may be priced. */
export interface Collar {
  readonly low: string
  readonly high: string
}

/** The collar of some percent around a reference price. */
export function collarOf(reference: string, percent: string): Collar {
  const distance = new BigNumber(reference).times(percent).div(100)
  return {
    low: BigNumber.max(new BigNumber(reference).minus(distance), 0).toFixed(),
    high: new BigNumber(reference).plus(distance).toFixed(),
  }
}
