import { afterEach, beforeAll, beforeEach, vi } from 'vitest'

/**
 * The dates of a file's tests pass when they say so, from the real date or from `now` on; timers
 * are the real ones. @returns lets time pass
 */
export function setDates(now?: number): (ms: number) => void {
  const fake = () => {
    vi.useFakeTimers({ toFake: ['Date'], ...(now === undefined ? {} : { now }) })
  }
  // What tests share begins at the same time.
  beforeAll(fake)
  beforeEach(fake)
  afterEach(() => {
    vi.useRealTimers()
  })
  return (ms) => {
    vi.setSystemTime(Date.now() + ms)
  }
}
