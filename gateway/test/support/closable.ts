import { onTestFinished } from 'vitest'
import { type TestApp, type TestAppOptions, testApp } from '../app.ts'

/** A test app that the test can close before it ends. */
export async function closable(
  options: TestAppOptions,
): Promise<TestApp & { close(): Promise<void> }> {
  const open: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const end of open.splice(0).reverse()) await end()
  }
  const { onEnd = onTestFinished } = options
  onEnd(close)
  return { ...(await testApp({ ...options, onEnd: (end) => open.push(end) })), close }
}
