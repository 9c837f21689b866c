import type { LaneOptions } from './lane-types.ts'

/** @throws RangeError naming the option that cannot be meant, with its value */
export function checkLaneOptions<A>(options: LaneOptions<A>): void {
  const { ratePerSecond, concurrency, maxQueueWaitMs, maxQueueLength, clientShare } = options
  const { guardMs = 0, leadMs = 0, startDelayMs = 0 } = options
  demand(ratePerSecond > 0 && Number.isFinite(ratePerSecond), 'ratePerSecond', ratePerSecond)
  demand(Number.isInteger(concurrency) && concurrency > 0, 'concurrency', concurrency)
  demand(maxQueueWaitMs >= 0, 'maxQueueWaitMs', maxQueueWaitMs)
  demand(Number.isInteger(maxQueueLength) && maxQueueLength > 0, 'maxQueueLength', maxQueueLength)
  demand(clientShare > 0 && clientShare <= 1, 'clientShare', clientShare)
  demand(guardMs >= 0 && Number.isFinite(guardMs), 'guardMs', guardMs)
  demand(leadMs >= 0 && Number.isFinite(leadMs), 'leadMs', leadMs)
  demand(startDelayMs >= 0 && Number.isFinite(startDelayMs), 'startDelayMs', startDelayMs)
}

function demand(isMeant: boolean, option: string, value: number): void {
  if (!isMeant) throw new RangeError(`A lane cannot have ${option} ${value}`)
}
