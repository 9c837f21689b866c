import { BigNumber } from 'bignumber.js'
import { remember } from './remember.ts'

/** The prices between which an order may be priced. */
export interface Collar {
  readonly low: string
  readonly high: string
}

/** The collar of some percent around a reference price. */
export function collarOf(reference: string, percent: string): Collar {
  return collarAt(`${reference} ${percent}`)
}

const collarAt = remember((referenceAndPercent): Collar => {
  const [reference = '', percent = ''] = referenceAndPercent.split(' ')
  const distance = new BigNumber(reference).times(percent).div(100)
  return {
    low: BigNumber.max(new BigNumber(reference).minus(distance), 0).toFixed(),
    high: new BigNumber(reference).plus(distance).toFixed(),
  }
})
