import { expect, test } from 'vitest'
import { IS_LONG } from '../support/is-long.ts'
import { type NetworkName, runNetwork } from './networks.ts'

const SEED = 3
const COUNT = 10_000

interface Bounds {
  /** Of 10,000 calls. */
  readonly violations: number
  /** In percent: without the exchange's time, and with it. */
  readonly slots: number
  readonly slotsWithTime: number
}

// The numbers are in docs/evidence/lane-figures.md.
const bounds: Readonly<Record<NetworkName, Bounds>> = {
  'one machine': { violations: 0, slots: 99.7, slotsWithTime: 99.7 },
  '1–5 ms': { violations: 0, slots: 99.3, slotsWithTime: 99.5 },
  '1–25 ms': { violations: 0, slots: 97.1, slotsWithTime: 98.3 },
  '5–25 ms': { violations: 0, slots: 97.5, slotsWithTime: 98.5 },
  // The first calls, when the network is not known yet.
  '5–120 ms': { violations: 3, slots: 87.8, slotsWithTime: 92.7 },
  '1–25 ms there, 1 ms back': { violations: 0, slots: 98.3, slotsWithTime: 98.3 },
  'log-normal above 40 ms': { violations: 0, slots: 98.7, slotsWithTime: 99.1 },
  // Delays without a sharp lower end: now and then a call is quicker than all before.
  'normal, 6 ms around 40 ms': { violations: 6, slots: 96.5, slotsWithTime: 97.5 },
  // The very first call, when it is the one that is lost.
  'one packet in 100 lost, 200 ms': { violations: 1, slots: 98.7, slotsWithTime: 99.2 },
  // Two each time that the route becomes shorter: four times in 80 minutes.
  'another route each 10 minutes, 30 ms longer or shorter': {
    ...{ violations: 8, slots: 98.1, slotsWithTime: 98.8 },
  },
  '1–25 ms, clock 50 ppm fast': { violations: 0, slots: 97.1, slotsWithTime: 97.3 },
  '1–25 ms, clock 50 ppm slow': { violations: 0, slots: 97.1, slotsWithTime: 98.2 },
  // When the clock is set back.
  '1–25 ms, clock set by up to 200 ms each 10 minutes': {
    ...{ violations: 3, slots: 97.1, slotsWithTime: 97.8 },
  },
}

test.each(Object.entries(bounds) as [NetworkName, Bounds][])(
  'over a network with %s the exchange sees the pace',
  async (network, { violations, slots, slotsWithTime }) => {
    const ways = [['exchange time', slotsWithTime] as const, ['round trip', slots] as const]
    // One network shows in the short form too what the round trip alone brings.
    for (const [knows, slotsMin] of IS_LONG || network === '1–25 ms' ? ways : ways.slice(0, 1)) {
      const run = await runNetwork({ network, seed: SEED, count: COUNT, concurrency: 1, knows })
      expect(run.violations, knows).toBeLessThanOrEqual(violations)
      expect(100 * run.slotsUsed, knows).toBeGreaterThanOrEqual(slotsMin)
    }
  },
  600_000,
)

test('40 lanes that have just started keep the pace over 1–25 ms as one old lane does', async () => {
  for (const knows of ['round trip', 'exchange time'] as const) {
    const runs = await Promise.all(
      Array.from({ length: 40 }, (_, seed) =>
        runNetwork({ network: '1–25 ms', seed, count: 250, concurrency: 1, knows }),
      ),
    )
    expect(runs.reduce((sum, { violations }) => sum + violations, 0)).toBe(0)
  }
})

test('a lane that learns nothing of the network breaks the pace at the exchange', async () => {
  const options = { seed: SEED, count: COUNT, concurrency: 1, knows: 'nothing' } as const
  const quiet = await runNetwork({ ...options, network: 'one machine' })
  const jittery = await runNetwork({ ...options, network: '1–25 ms' })
  expect(quiet.violations).toBe(0)
  expect(jittery.violations).toBeGreaterThan(2000)
})

test('responses that overlap change nothing', async () => {
  const options = { network: '5–120 ms', seed: SEED, count: COUNT, knows: 'exchange time' } as const
  const { violations, slotsUsed } = await runNetwork({ ...options, concurrency: 3 })
  expect(violations).toBeLessThanOrEqual(3)
  expect(slotsUsed).toBeGreaterThanOrEqual(0.927)
})
