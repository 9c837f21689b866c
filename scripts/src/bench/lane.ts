import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Job, JobClass } from 'gateway/lane/job.ts'
import { createLane } from 'gateway/lane/lane.ts'
import { createLaneTime } from 'gateway/lane/lane-time.ts'
import type { Lane, LaneOptions } from 'gateway/lane/lane-types.ts'
import { type Bench, quantile, toTable } from './figure.ts'

/** The lane's promises in numbers: fairness, a cancel's wait, cost. Half a minute. */
export const lane: Bench = async ({ print, isShort }) => {
  for (const bench of isShort ? [costBench] : [fairnessBench, cancelBench, costBench]) {
    await bench(print)
    print('')
  }
  return []
}

const RATE_PER_SECOND = 20
const FLOOD = 240
const LIGHT_EVERY_MS = 173
const WATCH_MS = 9_000
const CALL_MS = 12

/** What a client that calls now and then waits beside one that queued everything at once. */
async function fairnessBench(print: (text: string) => void): Promise<void> {
  print(
    `Fairness: one client queues ${FLOOD} orders at once, another sends one every ${LIGHT_EVERY_MS} ms, at ` +
      `${RATE_PER_SECOND}/s (ten times the real rate; all waits are a tenth). ${WATCH_MS / 1000} s …`,
  )
  const [fair, fifo] = await Promise.all([lightWaits('light'), lightWaits('flood')])
  print(
    toTable([
      ['', 'responses', 'wait p50', 'p95', 'max (ms)'],
      ['clients in turn', ...toCells(fair)],
      ['one queue, first come first served', ...toCells(fifo)],
    ]),
  )
}

interface Waits {
  readonly asked: number
  readonly waitsMs: readonly number[]
}

// With the flood's own name, the light client's jobs wait in the flood's line, as in a plain queue.
async function lightWaits(lightId: string): Promise<Waits> {
  const lane = benchLane(RATE_PER_SECOND, { startDelayMs: 0 })
  const waitsMs: number[] = []
  const note = ({ queueWaitMs }: { queueWaitMs: number }) => waitsMs.push(queueWaitMs)
  const isOver = () => undefined
  const flooding = Array.from({ length: FLOOD }, () =>
    lane.submit(benchJob('flood', 'order', CALL_MS)).then(isOver, isOver),
  )
  const light: Promise<unknown>[] = []
  for (let ms = 0; ms < WATCH_MS; ms += LIGHT_EVERY_MS) {
    light.push(lane.submit(benchJob(lightId, 'order', CALL_MS)).then(note, isOver))
    await passing(LIGHT_EVERY_MS)
  }
  await lane.close(1000)
  await Promise.all([...flooding, ...light])
  return { asked: light.length, waitsMs }
}

function toCells({ asked, waitsMs }: Waits): string[] {
  const waits = [0.5, 0.95, 1].map((part) => quantile(waitsMs, part))
  return [
    `${waitsMs.length} of ${asked}`,
    ...waits.map((ms) => (Number.isNaN(ms) ? 'never' : String(ms))),
  ]
}

const ORDERS = 360
const CANCELS = 12

/** What a cancel waits that comes while 360 orders of the same client wait. */
async function cancelBench(print: (text: string) => void): Promise<void> {
  print(
    `Cancel: ${ORDERS} orders are queued at 2/s, ${CANCELS} cancels arrive at random moments. 15 s …`,
  )
  const lane = benchLane(2)
  const isOver = () => undefined
  const waiting = Array.from({ length: ORDERS }, () =>
    lane.submit(benchJob('bot', 'order', 100)).then(isOver, isOver),
  )
  await passing(1200)
  const waitsMs: number[] = []
  for (let i = 0; i < CANCELS; i += 1) {
    await passing(500 + Math.random() * 500)
    waitsMs.push((await lane.submit(benchJob('bot', 'cancel', 100))).queueWaitMs)
  }
  await lane.close(1000)
  await Promise.all(waiting)
  print(
    toTable([
      ['', 'wait p50', 'max (ms)', 'promised'],
      [
        'a cancel behind 360 orders',
        ...[0.5, 1].map((part) => String(quantile(waitsMs, part))),
        '550: one slot + 50',
      ],
    ]),
  )
}

const QUEUED = 10_000
const CLIENTS = 50
// As many as arrive in one turn of the event loop when a server is flooded.
const PER_TURN = 50

/** What 10,000 waiting jobs cost: admission, memory, stalls; and one job on its whole way. */
async function costBench(print: (text: string) => void): Promise<void> {
  print(
    `Cost: ${QUEUED} jobs of ${CLIENTS} clients wait, each with its caller's AbortSignal. 5 s …`,
  )
  await fill(benchLane(2), 2000)
  const flooded = await withQueue(async () => {})
  const stopped = await withQueue(async (lane) => lane.stop('bench'))
  const gone = await withQueue(async (_, callers) => {
    for (let i = 0; i < callers.length; i += PER_TURN) {
      for (const caller of callers.slice(i, i + PER_TURN)) caller.abort()
      await turn()
    }
  })
  print(
    toTable([
      ['', 'measured', 'promised'],
      ['admission p50', micros(quantile(flooded.admissionUs, 0.5)), ''],
      ['admission p99', micros(quantile(flooded.admissionUs, 0.99)), ''],
      ['admission p99.9', micros(quantile(flooded.admissionUs, 0.999)), '1000 µs'],
      ['admission max, garbage collection and all', micros(quantile(flooded.admissionUs, 1)), ''],
      ['memory per waiting job', `${flooded.bytesEach} B`, '10000 B'],
      ['longest stall while they arrive', `${flooded.fillStallMs.toFixed(1)} ms`, '20 ms'],
      ['longest stall when all are rejected', `${stopped.stallMs.toFixed(1)} ms`, '20 ms'],
      ['longest stall when all callers hang up', `${gone.stallMs.toFixed(1)} ms`, '20 ms'],
      ['one job, from submit to response', micros(await jobCostUs()), ''],
    ]),
  )
}

interface QueueCost {
  readonly admissionUs: readonly number[]
  readonly bytesEach: number
  readonly fillStallMs: number
  readonly stallMs: number
}

type Act = (lane: Lane<void>, callers: readonly AbortController[]) => Promise<void>

async function withQueue(act: Act): Promise<QueueCost> {
  // Far from due: nothing goes while it is measured.
  const lane = benchLane(2, { startDelayMs: 600_000, maxQueueLength: QUEUED })
  const before = heapBytes()
  const filled = await stallOf(() => fill(lane, QUEUED))
  const { admissionUs, callers, settled } = filled.value
  const bytesEach = Math.round((heapBytes() - before) / QUEUED)
  const acted = await stallOf(async () => {
    await act(lane, callers)
    await lane.close(0)
    await settled
  })
  return { admissionUs, bytesEach, fillStallMs: filled.stallMs, stallMs: acted.stallMs }
}

async function fill(lane: Lane<void>, count: number) {
  const admissionUs: number[] = []
  const callers = Array.from({ length: count }, () => new AbortController())
  const isOver = () => undefined
  const responses: Promise<unknown>[] = []
  for (const [i, { signal }] of callers.entries()) {
    const job = { ...benchJob(`client ${i % CLIENTS}`, 'order'), signal }
    const startedMs = performance.now()
    const response = lane.submit(job)
    admissionUs.push((performance.now() - startedMs) * 1000)
    responses.push(response.then(isOver, isOver))
    if (i % PER_TURN === PER_TURN - 1) await turn()
  }
  if (count < QUEUED) await lane.close(0)
  return { admissionUs, callers, settled: Promise.all(responses) }
}

// Without waiting for slots: what is left is the lane's own work.
async function jobCostUs(): Promise<number> {
  const count = 20_000
  const lane = benchLane(1e9, { startDelayMs: 0 })
  const startedMs = performance.now()
  for (let i = 0; i < count; i += 1) await lane.submit(benchJob(`client ${i % CLIENTS}`, 'order'))
  const spentMs = performance.now() - startedMs
  await lane.close(0)
  return (spentMs * 1000) / count
}

async function stallOf<T>(act: () => Promise<T>): Promise<{ value: T; stallMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await turn()
  const value = await act()
  await turn()
  delay.disable()
  return { value, stallMs: delay.max / 1e6 }
}

function heapBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const micros = (us: number) => `${us.toFixed(1)} µs`

/** A lane as the gateway makes it, with room for what a benchmark queues. */
export function benchLane(
  ratePerSecond: number,
  options: Partial<LaneOptions<void>> = {},
): Lane<void> {
  return createLane<void>({
    name: 'MEXC',
    ratePerSecond,
    concurrency: 1,
    maxQueueWaitMs: 3_600_000,
    maxQueueLength: 20_000,
    clientShare: 1,
    judge: () => ({ kind: 'ok' }),
    time: createLaneTime(),
    random: Math.random,
    ...options,
  })
}

/** A job that takes `callMs` once it is sent. */
function benchJob(clientId: string, jobClass: JobClass, callMs = 0): Job<void> {
  return {
    clientId,
    jobClass,
    label: { requestId: clientId, method: 'POST', endpoint: '/order' },
    run: async ({ onSent }) => {
      onSent()
      if (callMs > 0) await passing(callMs)
    },
  }
}

function passing(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
