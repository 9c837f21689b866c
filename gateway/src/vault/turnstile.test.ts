import { expect, test } from 'vitest'
import { createTurnstile } from './password.ts'

const newTurnstile = () =>
  createTurnstile({ runningMax: 2, waitingMax: 3, full: () => new Error('full') })

test('two run at once, three wait in their order, the next is rejected', async () => {
  const turnstile = newTurnstile()
  const started: number[] = []
  const ends: Array<() => void> = []
  const enter = (n: number) =>
    turnstile.pass(async () => {
      started.push(n)
      await new Promise<void>((end) => ends.push(end))
      return n
    })
  const works = [1, 2, 3, 4, 5].map(enter)
  await expect(enter(6)).rejects.toThrow('full')
  expect(started).toEqual([1, 2])

  ends.shift()?.()
  await works[0]
  await expect.poll(() => started).toEqual([1, 2, 3])
  while (ends.length > 0) {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  expect(await Promise.all(works)).toEqual([1, 2, 3, 4, 5])
  expect(started).toEqual([1, 2, 3, 4, 5])
})

test('a work that fails gives its place back', async () => {
  const turnstile = newTurnstile()
  const failing = () => turnstile.pass(() => Promise.reject(new Error('broken')))
  for (const _ of Array(6)) await expect(failing()).rejects.toThrow('broken')
  expect(await turnstile.pass(async () => 'through')).toBe('through')
})

test('the reserved lane has places of its own and goes first', async () => {
  const turnstile = newTurnstile()
  const started: string[] = []
  const ends: Array<() => void> = []
  const enter = (name: string, lane?: 'reserved') =>
    turnstile.pass(async () => {
      started.push(name)
      await new Promise<void>((end) => ends.push(end))
    }, lane)
  const works = ['a', 'b', 'c', 'd', 'e'].map((name) => enter(name))
  await expect(enter('f')).rejects.toThrow('full')
  works.push(...['1', '2', '3'].map((name) => enter(name, 'reserved')))
  await expect(enter('4', 'reserved')).rejects.toThrow('full')
  while (started.length < 8) {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  expect(started).toEqual(['a', 'b', '1', '2', '3', 'c', 'd', 'e'])
  for (const end of ends) end()
  await Promise.all(works)
})
