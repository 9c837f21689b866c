import Fastify from 'fastify'
import { ErrorBody, healthReady } from 'schema'
import { expect, test } from 'vitest'
import { COMMIT, VERSION } from '../version.ts'
import { healthRoutes } from './health.ts'

// What the checks of a gateway find: gateway/test/health.test.ts.

test('a check runs again after it has thrown at once', async () => {
  const app = Fastify()
  app.addSchema(ErrorBody)
  let isBroken = true
  const check = () => {
    if (isBroken) throw new Error('an inner detail')
    return undefined
  }
  const time = { sleep: () => new Promise<never>(() => {}) }
  healthRoutes(app, { checks: [{ check, late: 'late' }], warnings: () => [], time })
  const ready = async () => (await app.inject(healthReady.path)).json()
  const running = { version: VERSION, commit: COMMIT }
  expect(await ready()).toEqual({
    ...{ status: 'not-ready', ...running },
    reasons: ['a part of the gateway cannot be checked; its log has the reason'],
  })
  isBroken = false
  expect(await ready()).toEqual({ status: 'ready', reasons: [], ...running })
})
