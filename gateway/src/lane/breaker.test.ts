import { expect, test } from 'vitest'
import { Breaker, DOWNS_TO_OPEN } from './breaker.ts'

function brokenAt(nowMs: number): Breaker {
  const breaker = new Breaker()
  for (let i = 0; i < DOWNS_TO_OPEN; i += 1) breaker.down(nowMs)
  return breaker
}

test('five failures in a row open the breaker', () => {
  const breaker = new Breaker()
  expect([1, 2, 3, 4, 5].map((ms) => breaker.down(ms))).toEqual([false, false, false, false, true])
  expect(breaker.state(6)).toBe('open')
})

test('a good response between starts the count anew', () => {
  const breaker = new Breaker()
  for (let i = 0; i < 4; i += 1) breaker.down(i)
  breaker.up()
  expect(breaker.down(5)).toBe(false)
  expect(breaker.state(6)).toBe('closed')
})

test('after the cool-down a probe may go, and a good response closes the breaker', () => {
  const breaker = brokenAt(0)
  expect(breaker.coolDownMs(2000)).toBe(3000)
  expect(breaker.state(5000)).toBe('probing')
  expect(breaker.up()).toBe(true)
  expect([breaker.state(5000), breaker.coolDownMs(5000)]).toEqual(['closed', 0])
})

test('each probe that fails doubles the cool-down up to a minute', () => {
  const breaker = brokenAt(0)
  let nowMs = 5000
  const coolDowns = Array.from({ length: 5 }, () => {
    breaker.down(nowMs)
    const coolDownMs = breaker.coolDownMs(nowMs)
    nowMs += coolDownMs
    return coolDownMs
  })
  expect(coolDowns).toEqual([10_000, 20_000, 40_000, 60_000, 60_000])
})

test('failures of calls that were out when it opened change nothing', () => {
  const breaker = brokenAt(0)
  expect(breaker.down(1000)).toBe(false)
  expect(breaker.coolDownMs(1000)).toBe(4000)
})

test('after it closed, the next break is short again', () => {
  const breaker = brokenAt(0)
  breaker.down(5000)
  breaker.up()
  for (let i = 0; i < DOWNS_TO_OPEN; i += 1) breaker.down(60_000)
  expect(breaker.coolDownMs(60_000)).toBe(5000)
})
