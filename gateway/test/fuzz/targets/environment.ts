import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { ConfigError, readConfig } from '../../../src/config.ts'
import { ENV } from '../../../src/env/table.ts'
import { editedText, hostileText, numberText } from '../hostile.ts'
import type { Target } from '../target.ts'

const NAMES = Object.keys(ENV)
const SECRETS = new Set(NAMES.filter((name) => Object.hasOwn(Reflect.get(ENV, name), 'isSecret')))
const VALUES = [
  ...['on', 'off', 'true', 'false', 'TRUE', 'info', 'loopback', 'uniquelocal', '10.0.0.0/8'],
  ...['http://localhost:1', 'https://x.test', 'https://x.test/path', 'http://x.test', 'ftp://x'],
  ...['https://a:b@x.test', 'https://x.test?token=sekret', '::1', '0.0.0.0', 'a=b,c=%zz', 'a=b'],
  ...['file:./x.db', ':memory:', '/etc/passwd', 'https://x.test,https://y.test', 'x@y.test'],
]

const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 2, arbitrary: hostileText },
  { weight: 2, arbitrary: numberText },
  { weight: 2, arbitrary: editedText(fc.constantFrom(...VALUES)) },
  { weight: 1, arbitrary: fc.constant(randomBytes(32).toString('base64')) },
)
const input = fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), hostileText), value, { maxKeys: 6 })

/** Any environment gives a configuration, or says which variable is wrong without its secret. */
export const environment: Target = {
  name: 'environment',
  about: 'settings of the environment',
  weight: 100,
  open: async () => ({
    property: fc.property(input, (env) => {
      try {
        checkConfig(readConfig(env))
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        assert.ok(error.problems.length > 0)
        for (const problem of error.problems) {
          assert.ok(
            NAMES.some((name) => problem.includes(name)),
            `no variable is named: ${problem}`,
          )
          assert.ok(problem.length < 1_000, 'a problem is too long to read')
        }
        for (const [name, text] of Object.entries(env))
          if (SECRETS.has(name) && text.trim().length > 20 && !isElsewhere(env, text))
            assert.ok(!error.message.includes(text.trim()), `the message has the value of ${name}`)
        assert.ok(
          !error.message.includes('sekret') ||
            NAMES.some((name) => /^[^?]*sekret/.test(env[name] ?? '')),
          'the message has a token',
        )
      }
    }),
  }),
}

function checkConfig(config: ReturnType<typeof readConfig>): void {
  const { listen, lane, sessions, upstream, connections, budget, upstreamTimeoutMs } = config
  for (const number of [
    ...[listen.port, lane.ratePerSecond, lane.concurrency, lane.maxQueueWaitMs, upstreamTimeoutMs],
    ...[sessions.lifeMs, sessions.idleMs, config.logRetentionMs, config.auditHeadEveryMs],
    ...[connections.inAll, connections.perAddress, ...Object.values(budget)],
  ])
    assert.ok(Number.isFinite(number) && number >= 0, `${number} is no setting`)
  assert.ok(lane.ratePerSecond > 0 && lane.concurrency > 0 && upstreamTimeoutMs > 0)
  for (const origin of [...Object.values(upstream), ...config.consoleOrigins])
    assert.equal(new URL(origin).origin, origin, `${origin} is no origin`)
}

/** Whether a variable that is no secret has the text too: its message may repeat it. */
function isElsewhere(env: Readonly<Record<string, string>>, text: string): boolean {
  return Object.entries(env).some(
    ([name, other]) => !SECRETS.has(name) && other.includes(text.trim()),
  )
}
