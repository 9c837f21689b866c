import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { IS_LONG } from '../support/is-long.ts'
import { createPlan } from './plan.ts'
import { runPlan } from './run.ts'

const perTest = IS_LONG ? 500 : 200
/** 10,000 scenarios with `LONG=1`, 400 without. */
const tests = IS_LONG ? 20 : 2

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterAll(() => {
  vi.useRealTimers()
})

const stepWallClock = (ms: number) => vi.setSystemTime(Date.now() + ms)

test.each(Array.from({ length: tests }, (_, i) => i * 500))(
  'pace, order, fairness and honest errors hold in random scenarios from seed %d on',
  async (from) => {
    for (let seed = from; seed < from + perTest; seed += 1) {
      const violations = await runPlan(createPlan(seed), stepWallClock)
      expect(violations, `seed ${seed}`).toEqual([])
    }
  },
  600_000,
)
