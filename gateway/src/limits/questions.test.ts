import { expect, test, vi } from 'vitest'
import { NotOwnerError } from '../store/errors.ts'
import { createTimings } from '../upstream/request-context.ts'
import { FillQuestions } from './questions.ts'

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
    [1, 'bg', 'lookup', 'a', undefined],
    [1, 'bg', 'lookup', 'b', undefined],
    [2, 'bg', 'lookup', 'a', undefined],
  ])
  for (let nth = 0; nth < 100; nth += 1) await fills.ask(1, [at('a', nth)])
  expect(learn).toHaveBeenCalledTimes(30)
  expect(await fills.ask(2, [at('a', 1)])).toEqual(ASKED)
  expect(await fills.ask(1, [at('a')])).toEqual({ hasAsked: false, isKnown: false })
  expect(await fills.ask(1, [])).toEqual({ hasAsked: false, isKnown: true })
  nowMs += 60_000
  learn.mockRejectedValueOnce(new Error('down'))
  expect(await fills.ask(1, [at('a'), at('b')])).toEqual({ hasAsked: true, isKnown: false })
  expect(emit.mock.calls.map(([name]) => name)).toEqual(['fillsNotRead'])
  learn.mockResolvedValueOnce(false)
  expect(await fills.ask(1, [at('a'), at('b')])).toEqual({ hasAsked: true, isKnown: false })
  learn.mockRejectedValueOnce(new NotOwnerError())
  await expect(fills.ask(1, [at('a')])).rejects.toThrow(NotOwnerError)
})

test('what a request waits for fills is part of the time that it may wait', async () => {
  let nowMs = 0
  const learn = vi.fn(async () => {
    nowMs += 400
    return true
  })
  const events = { emit: vi.fn() }
  const fills = new FillQuestions({ own: { learn }, events, nowMs: () => nowMs })
  const { signal } = new AbortController()
  const timings = { ...createTimings(), queueMs: 100 }
  await fills.ask(1, [at('a'), at('b'), at('c')], { maxWaitMs: 800, signal, timings })
  expect(learn.mock.calls.map((call: unknown[]) => call.at(-1))).toEqual([
    { signal, maxWaitMs: 700 },
    { signal, maxWaitMs: 300 },
    { signal, maxWaitMs: 0 },
  ])
  expect(timings.queueMs).toBe(1_300)
  await fills.ask(1, [at('a')], { maxWaitMs: Number.POSITIVE_INFINITY, timings })
  expect(learn).toHaveBeenLastCalledWith(1, 'bg', 'lookup', 'a', { signal: undefined })
})
