import { expect, test } from 'vitest'
import { ConfigError, isPaper, readConfig } from '../src/config.ts'

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('nothing configured gives the documented defaults', () => {
  expect(readConfig({})).toEqual({
    listen: { host: '127.0.0.1', port: 8080 },
    databaseUrl: 'file:./data/sluice.db',
    masterKey: {},
    consoleOrigins: ['http://localhost:8081'],
    upstream: {
      'mexc-spot': 'https://api.mexc.com',
      'mexc-futures': 'https://api.mexc.com',
      bitget: 'https://api.bitget.com',
    },
    lane: { ratePerSecond: 2, concurrency: 1, maxQueueWaitMs: 180_000 },
    upstreamTimeoutMs: 30_000,
    logRetentionMs: 30 * 86_400_000,
    trustProxy: [],
    logLevel: 'info',
  })
})

test('everything wrong is named in one message, with what it should be', () => {
  const env = {
    PORT: '80800',
    RATE_LIMIT_PER_SECOND: 'fast',
    UPSTREAM_CONCURRENCY: '1.5',
    LOG_LEVEL: 'loud',
    CONSOLE_ORIGIN: 'console.example.com',
    BITGET_URL: 'https://api.bitget.com/api',
    ADMIN_EMAIL: 'a@example.com',
    MASTER_KEY: 'x',
    MASTER_KEY_FILE: 'y',
  }
  const problems = problemsOf(env).join('\n')
  for (const name of Object.keys(env)) expect(problems).toContain(name)
  expect(() => readConfig(env)).toThrow(
    /PORT is "80800"; it should be a whole number from 0 to 65535/,
  )
})

test.each(['MASTER_KEY', 'ADMIN_PASSWORD'])('the value of %s is never repeated', (name) => {
  const env = { [name]: 'abc', MASTER_KEY_FILE: 'key', ADMIN_EMAIL: 'a@example.com' }
  expect(problemsOf(env).join('\n')).not.toMatch(/\babc\b/)
})

test('an address with a password in it is refused without being repeated', () => {
  const problems = problemsOf({ MEXC_SPOT_URL: 'https://user:hunter2@api.mexc.com' })
  expect(problems).toHaveLength(1)
  expect(problems[0]).not.toContain('hunter2')
})

test('several origins and trusted proxies are read from one list each', () => {
  const config = readConfig({
    CONSOLE_ORIGIN: 'https://a.example.com, https://b.example.com/',
    TRUST_PROXY: '10.0.0.1, 10.1.0.0/16',
  })
  expect(config.consoleOrigins).toEqual(['https://a.example.com', 'https://b.example.com'])
  expect(config.trustProxy).toEqual(['10.0.0.1', '10.1.0.0/16'])
})

test('an exchange on this machine is the paper exchange', () => {
  const config = readConfig({ BITGET_URL: 'http://127.0.0.1:8082' })
  expect(isPaper(config, 'bg')).toBe(true)
  expect(isPaper(config, 'mx')).toBe(false)
})
