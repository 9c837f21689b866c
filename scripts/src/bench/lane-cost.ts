import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Lane } from 'gateway/lane/lane-types.ts'
import { benchJob, benchLane } from './lane-jobs.ts'
import { quantile, toTable } from './table.ts'

const QUEUED = 10_000
const CLIENTS = 50
// As many as arrive in one turn of the event loop when a server is flooded.
const PER_TURN = 50

/** What 10,000 waiting jobs cost: admission, memory, stalls; and one job on its whole way. */
export async function costBench(print: (text: string) => void): Promise<void> {
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
