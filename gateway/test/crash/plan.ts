import { createSeededRandom } from '../lane-simulation/seeded-random.ts'
import { chance, pick } from './world.ts'

/** What happens to a gateway while bots trade. */
export const EVENTS = ['kill', 'stop', 'rotation', 'backup', 'full-disk', 'damage'] as const
export type EventName = (typeof EVENTS)[number]

/** What a seed decides before a round begins. */
export interface Plan {
  /** The same seed makes the same choices. When they happen depends on the machine as well. */
  readonly seed: number
  readonly events: readonly EventName[]
  readonly bots: number
  /** Both exchanges accept a client order id again, also while its order is open. */
  readonly acceptsDuplicates: boolean
  /** A minute that passes at the exchange with each start does not pass on this machine. */
  readonly isClockBehind: boolean
}

const COMMON = ['kill', 'kill', 'stop', 'rotation', 'backup'] as const
const COMMON_COUNT = 3
const BOTS = 8

/** @param hasSmallDisk whether a file system can be had that is really full */
export function planOf(seed: number, hasSmallDisk: boolean): Plan {
  const random = createSeededRandom(seed)
  const events: EventName[] = Array.from({ length: COMMON_COUNT }, () => pick(random, COMMON))
  const rare = pick(random, ['full-disk', 'damage', 'none'] as const)
  if (rare === 'damage' || (rare === 'full-disk' && hasSmallDisk))
    events.splice(Math.floor(random() * (events.length + 1)), 0, rare)
  return {
    ...{ seed, events, bots: BOTS },
    acceptsDuplicates: seed % 2 === 0,
    // After a restore the gateway waits for a minute of this machine's clock.
    isClockBehind: !events.includes('damage') && chance(random, 0.5),
  }
}
