import { afterEach, expect, test, vi } from 'vitest'
import { systemTime } from '../time.ts'
import { createKillSwitch } from './kill-switch.ts'

afterEach(() => void vi.useRealTimers())

function switchOnADiskThat(state: { isFull: boolean }) {
  const kept = new Map<string, string>()
  const lane = { stop: vi.fn(), resume: vi.fn() }
  const facts = {
    get: async (name: string) => kept.get(name),
    set: async (name: string, value: string) => {
      if (state.isFull) throw new Error('disk full')
      kept.set(name, value)
    },
  }
  const deps = { facts, lanes: { mx: lane, bg: lane }, time: systemTime }
  return { kept, lane, killSwitch: createKillSwitch(deps) }
}

test('a stop that cannot be written down holds at once, says so, and is written down when it can be', async () => {
  vi.useFakeTimers()
  const disk = { isFull: true }
  const { kept, lane, killSwitch } = switchOnADiskThat(disk)
  await expect(killSwitch.stop('bg', 'emergency')).rejects.toMatchObject({
    code: 'STOP_NOT_KEPT',
    message: expect.stringContaining('Bitget is stopped, but'),
  })
  expect(lane.stop).toHaveBeenCalledWith('emergency')
  await vi.advanceTimersByTimeAsync(3_000)
  expect(kept.get('stopped.bg')).toBeUndefined()
  disk.isFull = false
  await vi.advanceTimersByTimeAsync(1_000)
  expect(kept.get('stopped.bg')).toBe('emergency')
})

test('a resume cancels a stop that is not written down yet', async () => {
  vi.useFakeTimers()
  const disk = { isFull: true }
  const { kept, lane, killSwitch } = switchOnADiskThat(disk)
  await expect(killSwitch.stop('mx', 'emergency')).rejects.toThrow()
  await expect(killSwitch.resume('mx')).rejects.toThrow('disk full')
  expect(lane.resume).not.toHaveBeenCalled()
  disk.isFull = false
  await killSwitch.resume('mx')
  expect(lane.resume).toHaveBeenCalledOnce()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(kept.get('stopped.mx')).toBe('')
})

// The resume was written down after the stop had come, and resumed the lane.
test('an exchange that is stopped while its resume is being written down stays stopped', async () => {
  const { kept, lane, killSwitch } = switchOnADiskThat({ isFull: false })
  await killSwitch.stop('bg', 'first')
  const resumed = killSwitch.resume('bg')
  await killSwitch.stop('bg', 'second')
  await resumed
  expect(lane.resume).not.toHaveBeenCalled()
  expect(kept.get('stopped.bg')).toBe('second')
  await killSwitch.resume('bg')
  expect(lane.resume).toHaveBeenCalledOnce()
  expect(kept.get('stopped.bg')).toBe('')
})
