import { onTestFinished } from 'vitest'
import { type TestApp, type TestAppOptions, testApp } from '../app.ts'
import { startHoldingProxy } from './holding-proxy.ts'

export interface HeldExchange extends TestApp {
  /** From now on no call arrives and no response: what comes after the next call waits for it. */
  hold(): void
  /** Lets the next call that contains this text pass, and holds everything after it. */
  holdAt(text: string): void
  release(): void
  /** How many calls to MEXC are on their way. */
  inFlight(): Promise<number>
}

/** An app whose calls to the exchange take as long as the test says. */
export async function heldExchange(options: TestAppOptions = {}): Promise<HeldExchange> {
  const { onEnd = onTestFinished, env } = options
  const ports: number[] = []
  const proxy = await startHoldingProxy(() => ports[0] ?? 0)
  onEnd(() => proxy.close())
  const t = await testApp({
    ...options,
    // What is held is not given up, however long a test holds it.
    env: { UPSTREAM_TIMEOUT_SECONDS: '600', ...env },
    async between(paperUrl) {
      ports.push(Number(new URL(paperUrl).port))
      return `http://127.0.0.1:${proxy.port}`
    },
  })
  return {
    ...t,
    hold: () => proxy.cut(),
    holdAt: (text) => proxy.cutAfter(text),
    release: () => proxy.heal(true),
    async inFlight() {
      const stats = await t.app.inject({ url: '/api/stats', headers: t.asAdmin })
      return stats.json().exchanges[0].inFlight
    },
  }
}
