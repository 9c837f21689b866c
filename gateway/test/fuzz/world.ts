import { randomBytes } from 'node:crypto'
import { type TestApp, type TestAppOptions, type TestClient, testApp } from '../app.ts'
import { ADMIN } from '../support/admin.ts'
import { createPerson } from '../support/person.ts'

/** A whole gateway in front of an exchange, with people of every role and two bots. */
export interface World extends TestApp {
  readonly bot: TestClient
  /** Another client, whose data nobody may see. */
  readonly other: TestClient
  readonly asOperator: { readonly authorization: string }
  readonly asViewer: { readonly authorization: string }
  /** What no response may have. */
  readonly secrets: readonly string[]
  readonly close: () => Promise<void>
}

export const OTHER = 'zz-other-client'

export async function createWorld(options: TestAppOptions = {}): Promise<World> {
  const masterKey = randomBytes(32).toString('base64')
  const closing: (() => Promise<unknown>)[] = []
  const t = await testApp({
    ...options,
    env: { MASTER_KEY: masterKey, CLIENT_REQUESTS_PER_MINUTE: '0', ...options.env },
    // The paper exchange counts its rate limits on a clock that runs a thousand times as fast.
    paper: { monotonicMs: () => performance.now() * 1000, ...options.paper },
    onEnd: (close) => closing.push(close),
  })
  const bot = await t.client('a-bot')
  const other = await t.client(OTHER)
  const operator = await createPerson(t, 'operator')
  const viewer = await createPerson(t, 'viewer')
  const people = [ADMIN, operator, viewer].map(({ password }) => password)
  const clients = [bot, other].flatMap(({ clientSecret, keys }) => [clientSecret, ...keys])
  return {
    ...t,
    bot,
    other,
    asOperator: operator.headers,
    asViewer: viewer.headers,
    secrets: [masterKey, ...people, ...clients],
    async close() {
      for (const close of closing.toReversed()) await close()
    },
  }
}

/** The name of a secret of the run that the text has; undefined when it has none. */
export function leakIn(secrets: readonly string[], text: string): string | undefined {
  return secrets.find((secret) => text.includes(secret))
}
