import type { AccountKind } from 'schema'
import { type TestApp, type TestAppOptions, type TestClient, testApp } from '../app.ts'
import { shared } from '../support/shared-app.ts'

/** The placeholder for an exchange key in an SDK. */
export const PLACEHOLDER = 'via-sluice-placeholder'

/** A gateway that listens, before a paper exchange, with one bot. */
export interface Sluice extends TestApp {
  /** Origin of the gateway. */
  readonly url: string
  readonly bot: TestClient
  /** All that has arrived at the exchange, secrets included. */
  arrivedText(): string
  /** Another bot, with this kind of account at Bitget. */
  botOf(kind: AccountKind): Promise<TestClient>
  /** What a bot has ordered at Bitget. */
  ordersOf(bot: TestClient): ReturnType<TestApp['paper']['orders']>
}

/** What the bots of these tests may do. */
export const PERMISSIONS = ['market', 'account', 'trade', 'settings'] as const

/** One for all tests of a file, closed after the last of them. */
export const sharedSluice = (options: TestAppOptions = {}): (() => Sluice) =>
  shared(async (onEnd) => {
    const arrived: string[] = []
    const witness = (text: string) => void arrived.push(text)
    const t = await testApp({ ...options, paper: { ...options.paper, witness }, onEnd })
    const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
    const bot = await t.client('sdk-bot', { permissions: PERMISSIONS })
    return {
      ...{ ...t, url, bot, arrivedText: () => arrived.join('\n') },
      botOf: (kind) =>
        t.client(undefined, { unified: kind === 'unified', permissions: PERMISSIONS }),
      ordersOf: ({ clientId }) =>
        t.paper.orders('bg').filter(({ account }) => account === `${clientId}-bg`),
    }
  })

/** The token alone, to look for where it must not be. */
export const tokenOf = ({ headers }: TestClient): string =>
  headers.authorization.replace('Bearer ', '')
