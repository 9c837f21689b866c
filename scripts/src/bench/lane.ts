import type { Bench } from './figure.ts'
import { cancelBench } from './lane-cancel.ts'
import { costBench } from './lane-cost.ts'
import { fairnessBench } from './lane-fairness.ts'
import { paceBench } from './lane-pace.ts'

/** The lane's promises in numbers: pace, fairness, a cancel's wait, cost. About three minutes. */
export const lane: Bench = async ({ print, isShort }) => {
  for (const bench of isShort ? [costBench] : [paceBench, fairnessBench, cancelBench, costBench]) {
    await bench(print)
    print('')
  }
  return []
}
