import { benchJob, benchLane, passing } from './lane-jobs.ts'
import { quantile, toTable } from './table.ts'

const RATE_PER_SECOND = 20
const FLOOD = 240
const LIGHT_EVERY_MS = 173
const WATCH_MS = 9_000
const CALL_MS = 12

/** What a client that calls now and then waits beside one that queued everything at once. */
export async function fairnessBench(print: (text: string) => void): Promise<void> {
  print(
    `Fairness: one client queues ${FLOOD} orders at once, another sends one every ${LIGHT_EVERY_MS} ms, at ` +
      `${RATE_PER_SECOND}/s (ten times the real rate; all waits are a tenth). ${WATCH_MS / 1000} s …`,
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

// With the flood's own name, the light client's jobs stand in the flood's line: what a plain queue
// does.
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
