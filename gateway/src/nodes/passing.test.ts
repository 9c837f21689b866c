import { expect, onTestFinished, test, vi } from 'vitest'
import { systemTime } from '../time.ts'
import type { OwnerView } from './ownership.ts'
import { ParkedRequests } from './passing.ts'

const OTHER = { nodeId: 'other', url: 'https://other', fence: 1 }
const OWN_URL = 'https://own'

function parking(most?: number) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const known: { owner: ReturnType<OwnerView['owner']> } = { owner: undefined }
  const parked = new ParkedRequests({
    ...{ ownerView: { owner: () => known.owner }, self: { nodeId: 'own', url: OWN_URL } },
    ...(most === undefined ? {} : { most }),
    time: systemTime,
  })
  const park = (signal = new AbortController().signal) => {
    const owner = parked.owner({ untilMs: performance.now() + 10_000, signal })
    const settled = vi.fn()
    owner.then(settled, (error) => settled(error.code))
    return settled
  }
  return { known, parked, park }
}

test('a request gets the owner as soon as there is one, which may be this node', async () => {
  const { known, park } = parking()
  const first = park()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(first).not.toHaveBeenCalled()
  known.owner = OTHER
  await vi.advanceTimersByTimeAsync(50)
  expect(first).toHaveBeenCalledWith(OTHER)
  known.owner = 'self'
  const second = park()
  await vi.advanceTimersByTimeAsync(0)
  expect(second).toHaveBeenCalledWith(expect.objectContaining({ url: OWN_URL }))
})

test('it ends when this node stops', async () => {
  const { parked, park } = parking()
  const waiting = park()
  parked.close()
  const late = park()
  await vi.advanceTimersByTimeAsync(50)
  for (const settled of [waiting, late]) expect(settled).toHaveBeenCalledWith('GATEWAY_STOPPING')
  expect(vi.getTimerCount()).toBe(0)
})

test('it ends after its time, when its caller hangs up, and at once when too many wait', async () => {
  const { park } = parking(2)
  const hangUp = new AbortController()
  const settled = [park(), park(hangUp.signal), park()]
  await vi.advanceTimersByTimeAsync(0)
  expect(settled[2]).toHaveBeenCalledWith('OWNER_UNREACHABLE')
  hangUp.abort()
  await vi.advanceTimersByTimeAsync(50)
  expect(settled[1]).toHaveBeenCalledWith('CALLER_GONE')
  await vi.advanceTimersByTimeAsync(9_900)
  expect(settled[0]).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(100)
  expect(settled[0]).toHaveBeenCalledWith('OWNER_UNREACHABLE')
  expect(vi.getTimerCount()).toBe(0)
})

test('an owner that took no request gets a few at a time, and the next owner all', async () => {
  const { known, parked, park } = parking()
  known.owner = OTHER
  parked.refused(OTHER)
  const settled = Array.from({ length: 20 }, () => park())
  const number = () => settled.filter(({ mock }) => mock.calls.length > 0).length
  await vi.advanceTimersByTimeAsync(50)
  expect(number()).toBe(5)
  parked.refused(OTHER)
  await vi.advanceTimersByTimeAsync(50)
  expect(number()).toBe(10)
  known.owner = { ...OTHER, fence: 2 }
  await vi.advanceTimersByTimeAsync(50)
  expect(number()).toBe(20)
})
