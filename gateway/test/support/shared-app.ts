import { beforeAll } from 'vitest'
import { type TestApp, type TestAppOptions, testApp } from '../app.ts'

/** One app for tests of a file that leave nothing behind, closed after the last of them. */
export function sharedApp(options: TestAppOptions = {}): () => TestApp {
  let app: TestApp | undefined
  beforeAll(async () => {
    const closing: (() => Promise<unknown>)[] = []
    app = await testApp({ ...options, onEnd: (close) => closing.push(close) })
    return async () => {
      for (const close of closing.toReversed()) await close()
    }
  })
  return () => {
    if (app === undefined)
      throw new Error('The shared app is made before the first test, not before')
    return app
  }
}
