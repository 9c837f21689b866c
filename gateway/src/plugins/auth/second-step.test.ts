import { expect, test } from 'vitest'
import { TRIES, WAITING_MS, WaitingSignIns } from './second-step.ts'

function setUp() {
  const clock = { nowMs: 1_700_000_000_000 }
  const waiting = new WaitingSignIns(() => clock.nowMs)
  const begin = (adminId: number, countedAddress = '203.0.113.9') =>
    waiting.begin({
      ...{ adminId, countedAddress, email: 'ada@example.com', passwordHash: 'hash' },
      passkey: undefined,
    })
  return { clock, waiting, begin }
}

test('a sign-in waits for five minutes and not longer', () => {
  const { clock, waiting, begin } = setUp()
  const { id } = begin(1)
  clock.nowMs += WAITING_MS - 1
  expect(waiting.take(id)).toMatchObject({ adminId: 1 })
  clock.nowMs += 1
  expect(waiting.take(id)).toBeUndefined()
})

test('a clock that is set back ends sign-ins and makes none last longer', () => {
  const { clock, waiting, begin } = setUp()
  const { id } = begin(1)
  clock.nowMs -= 3_600_000
  expect(waiting.take(id)).toBeUndefined()
})

test('there are five tries, however many come at once', () => {
  const { waiting, begin } = setUp()
  const { id } = begin(1)
  const taken = Array.from({ length: TRIES + 3 }, () => waiting.take(id)?.adminId)
  expect(taken).toEqual([1, 1, 1, 1, 1, undefined, undefined, undefined])
})

test('a sign-in ends once', () => {
  const { waiting, begin } = setUp()
  const { id } = begin(1)
  expect([waiting.end(id), waiting.end(id)]).toEqual([true, false])
  expect(waiting.take(id)).toBeUndefined()
})

test('a sixth sign-in ends the oldest one from its own address, and none of others', () => {
  const { waiting, begin } = setUp()
  const other = begin(2)
  const owner = begin(1, '198.51.100.7')
  const guesses = Array.from({ length: 20 }, () => begin(1))
  expect(waiting.take(owner.id)).toBeDefined()
  expect(waiting.take(other.id)).toBeDefined()
  const left = guesses.filter(({ id }) => waiting.take(id) !== undefined)
  expect(left).toEqual(guesses.slice(-4))
})
