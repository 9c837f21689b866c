import { expect, test, vi } from 'vitest'
import { NotOwnerError } from '../store/errors.ts'
import { FillQuestions } from './fill-questions.ts'

const at = (place: string, clientRef = 1) => ({ clientRef, exchange: 'bg', place }) as const
const ASKED = { hasAsked: true, isKnown: true }

test('fills are asked for once for each place, some times a minute, and a failure is reported', async () => {
  let nowMs = 0
  const learn = vi.fn(async () => true)
  const emit = vi.fn()
  const fills = new FillQuestions({ own: { learn }, events: { emit }, nowMs: () => nowMs })
  expect(await fills.ask(1, [])).toEqual({ hasAsked: false, isKnown: true })
  expect(await fills.ask(1, [at('a'), at('a'), at('b'), at('a', 2)])).toEqual(ASKED)
  expect(learn.mock.calls).toEqual([
    [1, 'bg', 'lookup', 'a'],
    [1, 'bg', 'lookup', 'b'],
    [2, 'bg', 'lookup', 'a'],
  ])
  for (let nth = 0; nth < 100; nth += 1) await fills.ask(1, [at('a', nth)])
  expect(learn).toHaveBeenCalledTimes(30)
  expect(await fills.ask(2, [at('a', 1)])).toEqual(ASKED)
  expect(await fills.ask(1, [at('a')])).toEqual({ hasAsked: false, isKnown: false })
  expect(await fills.ask(1, [])).toEqual({ hasAsked: false, isKnown: true })
  nowMs += 60_000
  learn.mockRejectedValueOnce(new Error('down'))
  expect(await fills.ask(1, [at('a'), at('b')])).toEqual({ hasAsked: true, isKnown: false })
  expect(emit).toHaveBeenCalledOnce()
  learn.mockResolvedValueOnce(false)
  expect(await fills.ask(1, [at('a'), at('b')])).toEqual({ hasAsked: true, isKnown: false })
  learn.mockRejectedValueOnce(new NotOwnerError())
  await expect(fills.ask(1, [at('a')])).rejects.toThrow(NotOwnerError)
})
