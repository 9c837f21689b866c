import { expect, test } from 'vitest'
import { Turns } from '../../upstream/in-turn.ts'
import { fileOf, type ListParts } from './order-list.ts'

test('files that are read at once take turns, and requests have a turn between two steps', async () => {
  let turn = 0
  let isOver = false
  const count = () => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const stepsAt: number[] = []
  const stores = {
    journal: {
      async *list() {
        for (let step = 0; step < 3; step += 1) {
          stepsAt.push(turn)
          yield { rows: [], last: undefined }
        }
      },
    },
  }
  const parts = { stores, nowMs: () => 0, turns: new Turns() } as unknown as ListParts
  const read = async () => {
    for await (const text of fileOf(parts, {})) expect(text).toContain('Client ID')
  }
  await Promise.all([read(), read(), read(), read()])
  isOver = true
  expect(stepsAt).toHaveLength(12)
  expect(new Set(stepsAt).size).toBe(12)
})
