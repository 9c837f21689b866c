import { expect, test } from 'vitest'
import { runFuzz } from './fuzz/run-fuzz.ts'
import { targets } from './fuzz/targets.ts'
import { IS_LONG } from './support/is-long.ts'

/** The same in each run of the suite; `npm run fuzz` makes others. */
const SEED = 20_261_123

/** So many that all targets together take some five seconds on two cores; twenty with `LONG=1`. */
const INPUTS: Readonly<Record<string, number>> = IS_LONG
  ? { routes: 150, headers: 40, 'raw-sockets': 60, 'second-factors': 100 }
  : { routes: 30, headers: 10, 'raw-sockets': 20, 'second-factors': 25 }
const OF_TEXT = IS_LONG ? 1_500 : 300

test.each(targets.map(({ name, about }) => [name, about] as const))(
  'generated inputs break no promise of %s: %s',
  async (name) => {
    const inputs = INPUTS[name] ?? OF_TEXT
    const [result] = await runFuzz({ seed: SEED, inputs, only: name })
    expect(result?.finding).toBe(undefined)
    expect(result?.inputs).toBeGreaterThanOrEqual(inputs)
  },
)
