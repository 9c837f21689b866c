import { expect, test } from 'vitest'
import { codeOf, testLane } from '../../test/lane-simulation/test-lane.ts'
import type { Job } from './job.ts'

const down = { kind: 'down' } as const
const ok = { kind: 'ok' } as const

/** Jobs whose name has `bad` fail; more jobs of the account `keys 1`. */
function failing() {
  const made = testLane({
    judge: (outcome) => ('response' in outcome && outcome.response.includes('bad') ? down : ok),
  })
  const ends = (name: string, more: Partial<Job<string>> = {}) =>
    made.submit(name, { account: 'keys 1', jobClass: 'cancel', endsOrders: true, ...more })
  return { ...made, ends }
}

test("a cancel that ends orders passes an account's open breaker, one every 5 s", async () => {
  const { lane, time, names, submit, ends } = failing()
  for (let i = 0; i < 5; i += 1) void submit(`bad ${i}`, { account: 'keys 1' })
  await time.advance(3000)
  expect(lane.snapshot()).toMatchObject({ accountsBroken: 1 })
  const own = () => codeOf(submit('own', { account: 'keys 1', jobClass: 'cancel' }))
  expect(await own()).toBe('EXCHANGE_ACCOUNT_UNAVAILABLE')

  const first = ends('bad cancel')
  expect(await codeOf(ends('at the same time'))).toBe('EXCHANGE_ACCOUNT_UNAVAILABLE')
  // A look-up has a turn of its own, and so has another account.
  const lookUp = ends('bad look-up', { jobClass: 'lookup' })
  await time.advance(1500)
  expect(await codeOf(Promise.all([first, lookUp]))).toBe('answered')
  expect(await codeOf(ends('too early'))).toBe('EXCHANGE_ACCOUNT_UNAVAILABLE')
  expect(names()).toEqual([...[0, 1, 2, 3, 4].map((i) => `bad ${i}`), 'bad cancel', 'bad look-up'])

  // A probe after the cool-down fails: the breaker stays open for 10 s, and the next try passes.
  await time.advance(3500)
  void submit('bad probe', { account: 'keys 1' })
  await time.advance(1500)
  expect(await own()).toBe('EXCHANGE_ACCOUNT_UNAVAILABLE')
  expect(await codeOf(Promise.all([ends('cancel'), time.advance(1000)]))).toBe('answered')
  expect(lane.snapshot()).toMatchObject({ accountsBroken: 0 })
  expect(await codeOf(Promise.all([own(), time.advance(1000)]))).toBe('answered')
})

test('the next one passes exactly 5 s after the last', async () => {
  const { time, submit, ends } = failing()
  for (let i = 0; i < 5; i += 1) void submit(`bad ${i}`, { account: 'keys 1' })
  await time.advance(3000)
  const first = codeOf(ends('bad cancel'))
  await time.advance(4999)
  expect(await first).toBe('answered')
  expect(await codeOf(ends('too early'))).toBe('EXCHANGE_ACCOUNT_UNAVAILABLE')
  await time.advance(1)
  expect(await codeOf(Promise.all([ends('in time'), time.advance(1000)]))).toBe('answered')
})

test("it passes the exchange's open breaker too, and does not wait for the cool-down", async () => {
  const { lane, time, names, submit, ends } = failing()
  for (let i = 0; i < 4; i += 1) void submit(`bad ${i}`)
  await time.advance(2600)
  void submit('bad last')
  await time.advance(1000)
  expect(lane.snapshot()).toMatchObject({ state: 'broken' })
  const tries = [
    ends('bad cancel', { maxWaitMs: 1000 }),
    ends('of another account', { account: 'keys 2', clientId: 'bob' }),
    // The gateway's own calls have no account: they wait for the cool-down.
    ends('time', { account: undefined as unknown as string, jobClass: 'lookup' }),
  ]
  const codes = Promise.all(tries.map(codeOf))
  await time.advance(1000)
  expect(await codes).toEqual(['answered', 'EXCHANGE_UNAVAILABLE', 'EXCHANGE_UNAVAILABLE'])
  expect(names().at(-1)).toBe('bad cancel')
  expect(lane.snapshot()).toMatchObject({ state: 'broken' })

  const another = ends('of another account', { account: 'keys 2', clientId: 'bob' })
  expect(await codeOf(Promise.all([another, time.advance(1000)]))).toBe('answered')
  expect(lane.snapshot()).toMatchObject({ state: 'running' })
})
