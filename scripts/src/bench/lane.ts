import { cancelBench } from './lane-cancel.ts'
import { costBench } from './lane-cost.ts'
import { fairnessBench } from './lane-fairness.ts'
import { paceBench } from './lane-pace.ts'

/** The lane's promises in numbers: pace, fairness, a cancel's wait, cost. About two minutes. */
export async function lane(print: (text: string) => void): Promise<void> {
  for (const bench of [paceBench, fairnessBench, cancelBench, costBench]) {
    await bench(print)
    print('')
  }
}
