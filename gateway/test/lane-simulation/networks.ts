import { createSeededRandom } from './seeded-random.ts'

/** A way to the exchange and back, and the exchange's clock. All times in ms. */
export interface Network {
  /** What one call takes to the exchange. */
  readonly thereMs: (nowMs: number) => number
  readonly backMs: (nowMs: number) => number
  /** How far the exchange's clock is ahead of the lane's. */
  readonly aheadMs: (nowMs: number) => number
}

type Random = () => number
type Make = (random: Random) => Partial<Network> & Pick<Network, 'thereMs'>

const MINUTE_MS = 60_000
const AHEAD_MS = 1_700_000_000_000

const between = (minMs: number, maxMs: number) => (random: Random) => () =>
  minMs + random() * (maxMs - minMs)
const jitter = (minMs: number, maxMs: number): Make => {
  const delay = between(minMs, maxMs)
  return (random) => ({ thereMs: delay(random) })
}

/** By Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** A clock that differs by `ppm` millionths, with the jitter of 1 to 25 ms. */
const drifting =
  (ppm: number): Make =>
  (random) => ({
    thereMs: between(1, 25)(random),
    aheadMs: (nowMs) => AHEAD_MS + (nowMs * ppm) / 1_000_000,
  })

const makers = {
  'one machine': jitter(0.1, 0.3),
  '1–5 ms': jitter(1, 5),
  '1–25 ms': jitter(1, 25),
  '5–25 ms': jitter(5, 25),
  '5–120 ms': jitter(5, 120),
  '1–25 ms there, 1 ms back': (random) => ({
    thereMs: between(1, 25)(random),
    backMs: () => 1,
  }),
  'log-normal above 40 ms': (random) => ({ thereMs: () => 40 + Math.exp(1 + normal(random)) }),
  'normal, 6 ms around 40 ms': (random) => ({ thereMs: () => 40 + 6 * normal(random) }),
  'one packet in 100 lost, 200 ms': (random) => ({
    thereMs: () => 30 + random() + (random() < 0.01 ? 200 : 0),
  }),
  'another route each 10 minutes, 30 ms longer or shorter': (random) => ({
    thereMs: (nowMs) => 20 + 2 * random() + 30 * (Math.floor(nowMs / (10 * MINUTE_MS)) % 2),
    backMs: () => 20 + 2 * random(),
  }),
  '1–25 ms, clock 50 ppm fast': drifting(50),
  '1–25 ms, clock 50 ppm slow': drifting(-50),
  '1–25 ms, clock set by up to 200 ms each 10 minutes': (random) => {
    const byMs = Array.from({ length: 100 }, () => (random() - 0.5) * 400)
    return {
      thereMs: between(1, 25)(random),
      aheadMs: (nowMs) => AHEAD_MS + (byMs[Math.floor(nowMs / (10 * MINUTE_MS))] ?? 0),
    }
  },
} as const satisfies Record<string, Make>

export type NetworkName = keyof typeof makers

/** The same for the same seed. */
export function createNetwork(name: NetworkName, seed: number): Network {
  const random = createSeededRandom(seed)
  const made = makers[name](random)
  return { backMs: made.thereMs, aheadMs: () => AHEAD_MS, ...made }
}
