import type { Slot } from '../../src/lane/job.ts'
import { createLane } from '../../src/lane/lane.ts'
import { createNetwork, type NetworkName } from './networks.ts'
import { createSeededRandom } from './seeded-random.ts'
import { createVirtualPace, createVirtualTime, type VirtualTime } from './virtual-time.ts'

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

export interface NetworkRun {
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
