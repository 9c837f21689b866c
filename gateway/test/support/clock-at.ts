import { systemTime, type Time } from '../../src/time.ts'

/** The time of this machine with another wall clock. */
export function clockAt(now: () => number): Time {
  return { ...systemTime, now }
}
