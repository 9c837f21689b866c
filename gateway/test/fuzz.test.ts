import { expect, test } from 'vitest'
import { runFuzz } from './fuzz/run-fuzz.ts'
import { targets } from './fuzz/targets.ts'

/** The same in each run of the suite; `npm run fuzz` makes others. */
const SEED = 20_261_123

/** So many that all targets together take some twenty seconds on two cores. */
const INPUTS: Readonly<Record<string, number>> = {
  routes: 150,
  headers: 40,
  'raw-sockets': 60,
  'second-factors': 100,
}
const OF_TEXT = 1_500

test.each(targets.map(({ name, about }) => [name, about] as const))(
  'generated inputs break no promise of %s: %s',
  async (name) => {
    const inputs = INPUTS[name] ?? OF_TEXT
    const [result] = await runFuzz({ seed: SEED, inputs, only: name })
    expect(result?.finding).toBe(undefined)
    expect(result?.inputs).toBeGreaterThanOrEqual(inputs)
  },
)
