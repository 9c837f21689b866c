import { benchJob, benchLane, passing } from './lane-jobs.ts'
import { quantile, toTable } from './table.ts'

const ratePerSecond = 20
const flood = 240
const lightEveryMs = 173
const watchMs = 9_000
const callMs = 12

/** What a client that calls now and then waits beside one that queued everything at once. */
export async function fairnessBench(print: (text: string) => void): Promise<void> {
  print(
    `Fairness: one client queues ${flood} orders at once, another sends one every ${lightEveryMs} ms, at ` +
      `${ratePerSecond}/s (ten times the real rate; all waits are a tenth). ${watchMs / 1000} s …`,
  )
  const [fair, fifo] = await Promise.all([lightWaits('light'), lightWaits('flood')])
  print(
    toTable([
      ['', 'answered', 'wait p50', 'p95', 'max (ms)'],
      ['clients in turn', ...toCells(fair)],
      ['one queue, first come first served', ...toCells(fifo)],
    ]),
  )
}

interface Waits {
  readonly asked: number
  readonly waitsMs: readonly number[]
}

// With the flood's own name, the light client's jobs stand in the flood's line: what a plain queue does.
async function lightWaits(lightId: string): Promise<Waits> {
  const lane = benchLane(ratePerSecond, { startDelayMs: 0 })
  const waitsMs: number[] = []
  const note = ({ queueWaitMs }: { queueWaitMs: number }) => waitsMs.push(queueWaitMs)
  const isOver = () => undefined
  const flooding = Array.from({ length: flood }, () =>
    lane.submit(benchJob('flood', 'order', callMs)).then(isOver, isOver),
  )
  const light: Promise<unknown>[] = []
  for (let ms = 0; ms < watchMs; ms += lightEveryMs) {
    light.push(lane.submit(benchJob(lightId, 'order', callMs)).then(note, isOver))
    await passing(lightEveryMs)
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
