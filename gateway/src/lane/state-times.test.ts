import { expect, test } from 'vitest'
import { testLane } from '../../test/lane-simulation/test-lane.ts'
import type { LaneVerdict } from './lane-types.ts'

function laneWith(verdicts: LaneVerdict[]) {
  return testLane({ judge: () => verdicts.shift() ?? { kind: 'ok' } })
}
const down = { kind: 'down' } as const

test('a lane is broken since it broke, however many tries have failed since', async () => {
  const { lane, time, submit } = laneWith(Array.from({ length: 6 }, () => down))
  expect(lane.snapshot()).toMatchObject({ state: 'running', stateForMs: null })
  for (let call = 0; call < 5; call += 1)
    void submit(`${call}`, { account: `keys ${call}`, clientId: `${call}` })
  await time.advance(4_000)
  const { state, stateForMs, resumesInMs } = lane.snapshot()
  expect(state).toBe('broken')
  expect(stateForMs).toBe(5_000 - Number(resumesInMs))
  await time.advance(5_000)
  const probing = { state: 'probing', stateForMs: Number(stateForMs) + 5_000 }
  expect(lane.snapshot()).toMatchObject(probing)
  void submit('a try that fails')
  await time.advance(1_000)
  const again = lane.snapshot()
  expect(again).toMatchObject({ state: 'broken', stateForMs: Number(stateForMs) + 6_000 })
  await time.advance(Number(again.resumesInMs))
  void submit('a try that succeeds')
  await time.advance(1_000)
  const mended = lane.snapshot()
  expect(mended.state).toBe('running')
  expect(mended.stateForMs).toBeLessThanOrEqual(1_000)
})

test('a lane runs since its pause ended', async () => {
  const { lane, time, submit } = laneWith([
    { kind: 'rate-limited', notTaken: true, isCertain: true, retryAfterMs: 7_000 },
  ])
  void submit('read', { jobClass: 'market' })
  await time.advance(3_000)
  expect(lane.snapshot()).toMatchObject({ state: 'paused', stateForMs: 2_000, resumesInMs: 5_000 })
  await time.advance(9_000)
  expect(lane.snapshot()).toMatchObject({ state: 'running', stateForMs: 4_000 })
})

test('a second stop does not begin the first again', async () => {
  const { lane, time } = laneWith([])
  lane.stop('one reason')
  await time.advance(2_000)
  lane.stop('another reason')
  await time.advance(1_000)
  const stopped = { state: 'stopped', reason: 'another reason', stateForMs: 3_000 }
  expect(lane.snapshot()).toMatchObject(stopped)
  lane.resume()
  await time.advance(500)
  expect(lane.snapshot()).toMatchObject({ state: 'running', stateForMs: 500 })
})
