import { setTimeout as realSleep } from 'node:timers/promises'
import type { SetTime } from './set-time.ts'

/**
 * Lets time pass until a promise settles: a pause or a slot that it waits for. Sockets get real
 * time between the steps; a call to an exchange that is slow would meet its limit.
 */
export async function passUntil<T>(time: SetTime, promise: Promise<T>, stepMs = 100): Promise<T> {
  let isSettled = false
  const settled = () => {
    isSettled = true
  }
  promise.then(settled, settled)
  while (!isSettled) {
    await realSleep(2)
    if (!isSettled) await time.advance(stepMs)
  }
  return promise
}
