import type { Slot } from '../../src/lane/job.ts'
import { createLane } from '../../src/lane/lane.ts'
import { createSeededRandom } from './seeded-random.ts'
import { createVirtualPace, createVirtualTime, type VirtualTime } from './virtual-time.ts'

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
  '1–25 ms there, 1 ms back': (random) => ({ thereMs: between(1, 25)(random), backMs: () => 1 }),
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

const RATE = 2
const WINDOW_MS = 1000
/** So many calls always wait, so that no slot is unused for lack of them. */
const WAITING = 5
const CALL_MS_MAX = 10_000

export interface NetworkRunOptions {
  readonly network: NetworkName
  readonly seed: number
  readonly count: number
  readonly concurrency: number
  /** What the lane learns of the network. The exchange's time is in whole ms. */
  readonly knows: 'nothing' | 'round trip' | 'exchange time'
}

interface NetworkRun {
  /** Calls that were one more than the rate within 1,000 ms when they arrived. */
  readonly violations: number
  /** The part of the slots that was used, up to 1. */
  readonly slotsUsed: number
}

/** Sends calls through a lane and a network as fast as the lane lets them go. */
export async function runNetwork(options: NetworkRunOptions): Promise<NetworkRun> {
  const { count, concurrency } = options
  const time = createVirtualTime()
  const lane = createLane<void>({
    name: 'MEXC',
    ratePerSecond: RATE,
    concurrency,
    maxQueueWaitMs: 60_000,
    maxQueueLength: 100,
    clientShare: 1,
    judge: () => ({ kind: 'ok' }),
    time,
    random: () => 0.5,
    pace: createVirtualPace(concurrency),
  })
  const call = createCall(time, options)
  const sent: Promise<unknown>[] = []
  const submit = () => {
    if (sent.length >= count) return
    const label = { requestId: String(sent.length), method: 'GET', endpoint: '/' }
    const job = { clientId: 'ann', jobClass: 'market', label, run: call.run } as const
    sent.push(lane.submit(job).then(submit))
  }
  for (let i = 0; i < WAITING; i += 1) submit()
  while (call.arrivedMs.length < count) await time.advance(CALL_MS_MAX)
  await time.advance(CALL_MS_MAX)
  await Promise.all(sent)
  await lane.close(0)
  return resultOf(call.arrivedMs.toSorted((a, b) => a - b))
}

function createCall(time: VirtualTime, { network: name, seed, knows }: NetworkRunOptions) {
  const network = createNetwork(name, seed)
  const random = createSeededRandom(seed + 1)
  const arrivedMs: number[] = []
  const passing = (ms: number) => new Promise<void>((resolve) => time.setTimer(ms, resolve))
  return {
    arrivedMs,
    async run({ opened, onSent, onResponse, onExchangeTime }: Slot): Promise<void> {
      await opened()
      // Timers are late, and the exchange takes a moment.
      await passing(0.1 + 0.3 * random())
      onSent()
      await passing(network.thereMs(time.monotonicMs()))
      const atMs = time.monotonicMs()
      arrivedMs.push(atMs)
      await passing(1 + random() + network.backMs(atMs))
      if (knows !== 'nothing') onResponse()
      if (knows === 'exchange time') onExchangeTime(Math.floor(atMs + network.aheadMs(atMs)))
    },
  }
}

function resultOf(arrivedMs: readonly number[]): NetworkRun {
  const spansMs = arrivedMs.slice(RATE).map((ms, i) => ms - (arrivedMs[i] ?? 0))
  const tookMs = (arrivedMs.at(-1) ?? 0) - (arrivedMs[0] ?? 0)
  return {
    violations: spansMs.filter((ms) => ms < WINDOW_MS).length,
    slotsUsed: ((arrivedMs.length - 1) * WINDOW_MS) / RATE / tookMs,
  }
}
