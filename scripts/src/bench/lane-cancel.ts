import { benchJob, benchLane, passing } from './lane-jobs.ts'
import { quantile, toTable } from './table.ts'

const ORDERS = 360
const CANCELS = 12

/** What a cancel waits that comes while 360 orders of the same client wait. */
export async function cancelBench(print: (text: string) => void): Promise<void> {
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
