import { expect, test } from 'vitest'
import { codeOf, testLane } from '../../test/lane-simulation/test-lane.ts'
import { createShutPace, createVirtualPace } from '../../test/lane-simulation/virtual-time.ts'
import type { LaneOptions, LaneVerdict } from './lane-types.ts'

const stuckEvents = ({ events }: Pick<ReturnType<typeof testLane>, 'events'>) =>
  events.map(({ type }) => type).filter((type) => type.endsWith('stuck'))

test('a lane that has work and a free place, and sends nothing, says so after five looks', async () => {
  const { pace, open } = createShutPace()
  const gateway = testLane({ pace })
  const { lane, time, names, submit } = gateway
  await time.advance(60_000)
  void submit('waits')
  await time.advance(4999)
  expect(lane.snapshot().state).toBe('running')
  await time.advance(1)
  expect(lane.snapshot()).toMatchObject({
    state: 'stuck',
    reason: 'Requests wait, MEXC could take one, and none is sent: restart the gateway',
  })
  await time.advance(60_000)
  expect(stuckEvents(gateway)).toEqual(['stuck'])
  open()
  await time.settle()
  expect(names()).toEqual(['waits'])
  expect(lane.snapshot().state).toBe('running')
  expect(stuckEvents(gateway)).toEqual(['stuck', 'unstuck'])
})

test('a stuck lane stays stuck when its waiting jobs are given up, and recovers once it sends', async () => {
  const { pace, open } = createShutPace()
  const { lane, time, submit } = testLane({ pace, maxQueueWaitMs: 10_000 })
  const givenUp = codeOf(submit('waits'))
  await time.advance(20_000)
  expect(await givenUp).toBe('QUEUE_DEADLINE_PASSED')
  expect(lane.snapshot()).toMatchObject({ state: 'stuck', queued: 0 })
  expect(time.pending).toBe(0)
  open()
  await time.settle()
  expect(lane.snapshot().state).toBe('running')
})

test('an event loop that is held up for long is one look, and nothing is stuck', async () => {
  const { pace } = createShutPace()
  const gateway = testLane({ pace })
  const { lane, time, submit } = gateway
  await time.advance(60_000)
  void submit('waits')
  await time.jump(600_000)
  expect(lane.snapshot().state).toBe('running')
  expect(stuckEvents(gateway)).toEqual([])
})

const limited: LaneVerdict = { kind: 'rate-limited', retryAfterMs: 60_000, notTaken: true }
const LIMITED = { judge: () => limited }
const OF_BOB = { clientId: 'bob', account: 'keys', isSigned: true }
type Stage = ReturnType<typeof testLane>
const heldUp: [string, Partial<LaneOptions<string>>, (stage: Stage) => void][] = [
  ['a call that has no response yet', {}, ({ submit }) => never(submit, true)],
  [
    'a connection that is not there yet',
    { concurrency: 2, pace: createVirtualPace(2) },
    ({ submit }) => never(submit, false),
  ],
  ['a pause that the exchange asked for', LIMITED, ({ submit }) => void submit('a')],
  ["its account's pause", LIMITED, ({ submit }) => void submit('a', OF_BOB)],
  ['the quiet second of the start', { startDelayMs: 50_000 }, () => {}],
  ['a low rate', { ratePerSecond: 0.02 }, ({ submit }) => void submit('a')],
]

function never(submit: Stage['submit'], isSent: boolean): void {
  void submit('no response', {
    run: ({ onSent }) => {
      if (isSent) onSent()
      return new Promise(() => {})
    },
  })
}

test.each(heldUp)('work that waits for %s is not stuck', async (_, options, holdUp) => {
  const gateway = testLane(options)
  const { lane, time, submit } = gateway
  holdUp(gateway)
  await time.advance(2000)
  void submit('waits', OF_BOB)
  await time.advance(30_000)
  expect(lane.snapshot().queued).toBeGreaterThan(0)
  expect(stuckEvents(gateway)).toEqual([])
})
