import { expect, test } from 'vitest'
import { createAlertBoard } from './alert-board.ts'
import { createSignInAlerts } from './sign-in-alerts.ts'

const MINUTE_MS = 60_000

function watched() {
  const world = { nowMs: 1_800_000_000_000 }
  const states: string[] = []
  const nowMs = () => world.nowMs
  const board = createAlertBoard({ nowMs, onChange: ({ state }) => states.push(state) })
  const signIns = createSignInAlerts({ board, nowMs })
  const fail = (times: number) => {
    for (let i = 0; i < times; i += 1)
      signIns.attempted({ kind: 'client', result: 'refused' }, '203.0.113.9')
  }
  return { world, states, signIns, fail }
}

// The five minutes once began with the first failure, so one attack could be split into two counts.
test('thirty failures within five minutes raise an alert, whenever the first of them was', () => {
  const { world, states, fail } = watched()
  fail(1)
  world.nowMs += 4.9 * MINUTE_MS
  fail(20)
  world.nowMs += 0.2 * MINUTE_MS
  fail(9)
  expect(states).toEqual([])
  fail(1)
  expect(states).toEqual(['raised'])
})

test('failures that are further apart are nobody’s attack, and one is over after ten quiet minutes', () => {
  const { world, states, signIns, fail } = watched()
  for (let i = 0; i < 10; i += 1) {
    fail(10)
    world.nowMs += 3 * MINUTE_MS
  }
  expect(states).toEqual([])
  fail(30)
  world.nowMs += 10 * MINUTE_MS
  signIns.check()
  expect(states).toEqual(['raised'])
  world.nowMs += 1
  signIns.check()
  expect(states).toEqual(['raised', 'cleared'])
})
