import { expect, test } from 'vitest'
import { testLane } from '../../test/lane-simulation/test-lane.ts'
import type { Slot } from './job.ts'
import type { Dispatch } from './lane-types.ts'

test('each call is reported when it is sent: its wait, its time to leave, and when', async () => {
  const reported: Dispatch[] = []
  const { time, submit } = testLane({ onDispatch: (dispatch) => reported.push(dispatch) })
  const run = async ({ onSent }: { onSent: () => void }) => {
    await new Promise<void>((resolve) => time.setTimer(3, resolve))
    onSent()
    return ''
  }
  void submit('first', { jobClass: 'cancel', run })
  void submit('second', { jobClass: 'market', run })
  await time.advance(5000)
  expect(reported).toEqual([
    { jobClass: 'cancel', waitedMs: 1000, leavingMs: 3, sentAtMs: 1003 },
    { jobClass: 'market', waitedMs: 1500, leavingMs: 3, sentAtMs: 1503 },
  ])
})

test('a call that is never sent is not reported, and a listener that throws stops nothing', async () => {
  const { time, names, events, submit } = testLane({
    onDispatch: () => {
      throw new Error('the listener fails')
    },
  })
  const unsent = submit('keys missing', { run: () => Promise.reject(new Error('no keys')) })
  unsent.catch(() => {})
  void submit('goes')
  void submit('goes too')
  await time.advance(5000)
  expect(names()).toEqual(['goes', 'goes too'])
  expect(events.map(({ type }) => type)).toEqual(['fault', 'fault'])
})

test.each([
  ['gets another slot', {}, [1000, 1500], 'sent'],
  ['gets three slots at most', { tooLate: 9 }, [1000, 1500, 2000], 'too late'],
  ['gets none after its limit', { tooLate: 9, maxWaitMs: 1200 }, [1000], 'too late'],
])(
  "an order that is ready too late for its slot %s, ahead of its client's next one",
  async (_what, options, slotsMs, end) => {
    const { tooLate = 1, maxWaitMs } = options as { tooLate?: number; maxWaitMs?: number }
    const judge = ({ error }: { error?: unknown }) =>
      error === undefined ? { kind: 'ok' } : { kind: 'ok', goesAgain: true }
    const { time, names, submit } = testLane({ judge: judge as never })
    const gotMs: number[] = []
    const run = async ({ onSent }: Slot) => {
      gotMs.push(time.monotonicMs())
      if (gotMs.length <= tooLate) throw Object.assign(new Error(), { code: 'too late' })
      onSent()
      return 'sent'
    }
    const limit = maxWaitMs === undefined ? {} : { maxWaitMs }
    const first = submit('first', { jobClass: 'order', run, ...limit }).then(
      ({ response }) => response,
      ({ code }) => code,
    )
    void submit('next', { jobClass: 'order' })
    await time.advance((slotsMs.at(-1) ?? 0) - 1)
    expect(names()).toEqual([])
    await time.advance(2000)
    expect(gotMs).toEqual(slotsMs)
    expect(await first).toBe(end)
    expect(names()).toEqual(['next'])
  },
)

test('what the late check of a sharing read submits gets a slot of its own', async () => {
  const { time, sent, submit } = testLane({ concurrency: 2 })
  const read = { jobClass: 'market', shareKey: 'price' } as const
  const lateCheckError = () => void submit('another', { clientId: 'cid' })
  void submit('first', read)
  void submit('shares its call', { ...read, clientId: 'bob', lateCheckError })
  await time.advance(5000)
  expect(sent).toEqual([
    { name: 'first', atMs: 1000 },
    { name: 'another', atMs: 1500 },
  ])
})

test.each([
  ['several jobs, where slots are close together', 1000, 15, 21, 215],
  ['no more jobs than the plan makes up for', 1000, 100, 21, 1010],
  ['one job, where slots are far apart', 40, 100, 1, 20_000],
])('the lane gets ready %s', async (_, ratePerSecond, readyAfterMs, most, lastMs) => {
  const lane = { ratePerSecond, concurrency: 100, leadMs: 8, startDelayMs: 0, clientShare: 1 }
  const { time, submit } = testLane(lane)
  const sentMs: number[] = []
  const atOnce: number[] = []
  let gettingReady = 0
  const run = async ({ opened, onSent }: Slot) => {
    gettingReady += 1
    atOnce.push(gettingReady)
    await new Promise<void>((resolve) => time.setTimer(readyAfterMs, resolve))
    await opened()
    gettingReady -= 1
    sentMs.push(time.monotonicMs())
    onSent()
    return ''
  }
  for (let i = 0; i < 200; i += 1) void submit('', { run })
  await time.advance(30_000)
  expect(Math.max(...atOnce)).toBe(most)
  expect(sentMs).toHaveLength(200)
  expect(sentMs.at(-1)).toBeLessThanOrEqual(lastMs)
})
