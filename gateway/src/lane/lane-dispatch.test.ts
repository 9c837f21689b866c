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

test('what the late check of a sharing read submits gets a slot of its own', async () => {
  const { time, sent, submit } = testLane({ concurrency: 2 })
  const read = { jobClass: 'market', shareKey: 'price' } as const
  const mayGo = () => void submit('another', { clientId: 'cid' })
  void submit('first', read)
  void submit('shares its call', { ...read, clientId: 'bob', mayGo })
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
