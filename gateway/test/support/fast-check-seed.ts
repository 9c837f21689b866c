import { configureGlobal, readConfigureGlobal } from 'fast-check'

/**
 * Each property is checked with the same values in every run, so that a run fails only for what
 * changed. `FC_SEED=random` draws other values, `FC_SEED=7` those of a seed; fast-check prints the
 * seed of a failure.
 */
const seed = process.env.FC_SEED ?? '1'
if (seed !== 'random' && !Number.isInteger(Number(seed)))
  throw new Error(`FC_SEED is "${seed}": give an integer or "random"`)
if (seed !== 'random') configureGlobal({ ...readConfigureGlobal(), seed: Number(seed) })
