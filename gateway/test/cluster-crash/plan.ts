import { between, pick } from '../crash/world.ts'
import { createSeededRandom } from '../lane-simulation/seeded-random.ts'

/** What happens to gateways and their database while bots trade. */
export const EVENTS = [
  'kill',
  'halt',
  'halt-at-step',
  'kill-twice',
  'halt-twice',
  'database-slow',
  'connections-taken',
  'database-cut',
  'nodes-cut',
  'cut-off',
  'database-stop',
  'database-crash',
  'full-disk',
  'clock-jump',
  'rolling-restart',
  'full-disk-restart',
] as const
export type EventName = (typeof EVENTS)[number]

/** What a seed decides before a round begins. */
export interface Plan {
  /** The same seed makes the same choices. When they happen depends on the machine as well. */
  readonly seed: number
  readonly events: readonly EventName[]
  readonly bots: number
  /** Both exchanges accept a client order id again, also while its order is open. */
  readonly acceptsDuplicates: boolean
  /** Nothing but rolling restarts happens: no request may be refused. */
  readonly isCalm: boolean
}

const BOTS = 6
/** Every so many seeds, a round has rolling restarts only. */
const CALM_EVERY = 5
const COMMON = [
  ...['kill', 'kill', 'halt', 'halt', 'halt-at-step', 'halt-at-step', 'kill-twice', 'halt-twice'],
  ...['database-cut', 'database-cut', 'database-slow', 'connections-taken'],
  ...['nodes-cut', 'cut-off', 'database-stop', 'database-crash', 'clock-jump'],
] as readonly EventName[]
const ON_SMALL_DISK = ['full-disk', 'full-disk-restart'] as const

/** @param hasSmallDisk whether a file system can be had that is really full */
export function planOf(seed: number, hasSmallDisk: boolean): Plan {
  const random = createSeededRandom(seed)
  const isCalm = seed % CALM_EVERY === CALM_EVERY - 1
  const names = hasSmallDisk ? [...COMMON, ...ON_SMALL_DISK] : COMMON
  const events: readonly EventName[] = isCalm
    ? ['rolling-restart']
    : Array.from({ length: between(random, 2, 3) }, () => pick(random, names))
  return { seed, events, bots: BOTS, acceptsDuplicates: seed % 2 === 0, isCalm }
}
