import { expect, test } from 'vitest'
import { Breaker, DOWNS_TO_OPEN } from './breaker.ts'

function brokenAt(nowMs: number): Breaker {
  const breaker = new Breaker()
  for (let i = 0; i < DOWNS_TO_OPEN; i += 1) breaker.down(nowMs)
  return breaker
}

test('five failures in a row open the breaker', () => {
  const breaker = new Breaker()
  const results = [1, 2, 3, 4, 5].map((ms) => breaker.down(ms))
  expect(results).toEqual([...Array(4).fill('counted'), 'opened'])
  expect(breaker.state(6)).toBe('open')
})

test('failures of one client alone never open it, with those of another or a certain one they do', () => {
  const alone = () => {
    const breaker = new Breaker()
    const results = Array.from({ length: 20 }, (_, ms) => breaker.down(ms, 'ann'))
    expect(results).toEqual([...Array(3).fill('counted'), ...Array(17).fill('suspected')])
    return breaker
  }
  expect(alone().down(20, 'bob')).toBe('opened')
  expect(alone().down(20)).toBe('opened')
  const interrupted = alone()
  interrupted.up()
  expect(interrupted.down(20, 'bob')).toBe('counted')
})

test('a probe of one client that fails leaves the decision to another call', () => {
  const breaker = brokenAt(0)
  expect(breaker.down(5000, 'ann')).toBe('suspected')
  expect(breaker.state(5000)).toBe('probing')
  expect(breaker.down(5001)).toBe('opened')
  expect(breaker.coolDownMs(5001)).toBe(10_000)
})

test('a good response between starts the count anew', () => {
  const breaker = new Breaker()
  for (let i = 0; i < 4; i += 1) breaker.down(i)
  breaker.up()
  expect(breaker.down(5)).toBe('counted')
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
  expect(breaker.down(1000)).toBe('counted')
  expect(breaker.coolDownMs(1000)).toBe(4000)
})

test('after it closed, the next break is short again', () => {
  const breaker = brokenAt(0)
  breaker.down(5000)
  breaker.up()
  for (let i = 0; i < DOWNS_TO_OPEN; i += 1) breaker.down(60_000)
  expect(breaker.coolDownMs(60_000)).toBe(5000)
})
