import { beforeAll } from 'vitest'
import { type TestApp, type TestAppOptions, testApp } from '../app.ts'

type OnEnd = (close: () => unknown) => void

/** One app for tests of a file that leave nothing behind, closed after the last of them. */
export const sharedApp = (options: TestAppOptions = {}): (() => TestApp) =>
  shared((onEnd) => testApp({ ...options, onEnd }))

/**
 * What the tests of a file share, made before the first of them; `onEnd` closes it after the last.
 */
export function shared<T>(make: (onEnd: OnEnd) => Promise<T>): () => T {
  let made: { readonly value: T } | undefined
  beforeAll(async () => {
    const closing: (() => unknown)[] = []
    made = { value: await make((close) => closing.push(close)) }
    return async () => {
      for (const close of closing.toReversed()) await close()
    }
  })
  return () => {
    if (made === undefined)
      throw new Error('What tests share is made before the first test, not before')
    return made.value
  }
}
