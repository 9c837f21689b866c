import { expect, test } from 'vitest'
import { Turns } from './in-turn.ts'

/** Lets everything that is due happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('one that leaves before its turn lets nobody pass who came later', async () => {
  const turns = new Turns()
  const order: string[] = []
  const endFirst = await turns.take('a')
  const left = turns.take('a', () => Promise.reject(new Error('hung up')))
  const third = turns.take('a').then((end) => {
    order.push('third')
    return end
  })
  await expect(left).rejects.toThrow('hung up')
  await settle()
  expect(order).toEqual([])
  endFirst()
  const endThird = await third
  expect(order).toEqual(['third'])
  const fourth = turns.take('a').then(() => order.push('fourth'))
  await settle()
  expect(order).toEqual(['third'])
  endThird()
  await fourth
})

test('turns of another name are waited for by nobody else', async () => {
  const turns = new Turns()
  await turns.take('a')
  const end = await turns.take('b')
  end()
  await turns.take('b')
})
