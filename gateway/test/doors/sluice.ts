import { beforeAll } from 'vitest'
import { type TestApp, type TestAppOptions, type TestClient, testApp } from '../app.ts'

/** The placeholder for an exchange key in an SDK. */
export const PLACEHOLDER = 'via-sluice-placeholder'

/** A gateway that listens, before a paper exchange, with one bot. */
export interface Sluice extends TestApp {
  /** Origin of the gateway. */
  readonly url: string
  readonly bot: TestClient
  /** All that has arrived at the exchange, secrets included. */
  arrivedText(): string
}

/** One for all tests of a file, closed after the last of them. */
export function sharedSluice(options: TestAppOptions = {}): () => Sluice {
  let sluice: Sluice | undefined
  beforeAll(async () => {
    const closing: (() => Promise<unknown>)[] = []
    const arrived: string[] = []
    const witness = (text: string) => void arrived.push(text)
    const t = await testApp({
      ...options,
      paper: { ...options.paper, witness },
      onEnd: (close) => closing.push(close),
    })
    const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
    const bot = await t.client('sdk-bot', {
      permissions: ['market', 'account', 'trade', 'settings'],
    })
    sluice = { ...t, url, bot, arrivedText: () => arrived.join('\n') }
    return async () => {
      for (const close of closing.toReversed()) await close()
    }
  })
  return () => {
    if (sluice === undefined) throw new Error('The gateway is made before the first test')
    return sluice
  }
}

/** The token alone, to look for where it must not be. */
export const tokenOf = ({ headers }: TestClient): string =>
  headers.authorization.replace('Bearer ', '')
