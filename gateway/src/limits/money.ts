import { BigNumber } from 'bignumber.js'

/** Whole numbers up to 2^53 hold 9 billion USDT in millionths. */
const DECIMALS = 6

/**
 * An amount of USDT in millionths, rounded up.
 * @returns undefined when it is too large to be counted
 */
export function toMicros(usdt: string | BigNumber): number | undefined {
  const micros = new BigNumber(usdt)
    .shiftedBy(DECIMALS)
    .integerValue(BigNumber.ROUND_CEIL)
    .toNumber()
  return Number.isSafeInteger(micros) ? micros : undefined
}

/** Millionths as a decimal text. */
export function toUsdt(micros: number): string {
  return new BigNumber(micros).shiftedBy(-DECIMALS).toFixed()
}
