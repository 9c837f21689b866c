import type { InjectOptions } from 'fastify'
import { expect } from 'vitest'
import { ADMIN, type TestApp } from '../app.ts'
import { SoftwareAuthenticator } from './software-authenticator.ts'
import { totpCode } from './totp-app.ts'

/** The page of the console, as `testConfig` has it. */
export const CONSOLE = 'http://localhost:8081'
type Method = NonNullable<InjectOptions['method']>
export type Session = Pick<TestApp, 'app'> & { readonly headers: Record<string, string> }

export function send({ app, headers }: Session, method: Method, url: string, payload?: object) {
  const body = payload === undefined ? {} : { payload }
  return app.inject({ method, url, headers: { origin: CONSOLE, ...headers }, ...body })
}

/** The first step, from a page of the console. */
export const login = (
  { app }: Pick<TestApp, 'app'>,
  { email = ADMIN.email, origin = CONSOLE, remoteAddress = '127.0.0.1' } = {},
) =>
  app.inject({
    ...{ method: 'POST', url: '/auth/login', remoteAddress },
    ...{ payload: { ...ADMIN, email }, headers: { origin } },
  })

export const second = (
  { app }: Pick<TestApp, 'app'>,
  payload: object,
  remoteAddress = '127.0.0.1',
) => app.inject({ method: 'POST', url: '/auth/second-factor', payload, remoteAddress })

export const sessionOf = ({ app }: Pick<TestApp, 'app'>, token: string): Session => ({
  app,
  headers: { authorization: `Bearer ${token}` },
})

export const asAdminOf = ({ app, asAdmin }: TestApp): Session => ({ app, headers: { ...asAdmin } })

/** Adds an authenticator app to the account of a session. */
export async function addTotp(session: Session) {
  const created = await send(session, 'POST', '/api/admin/account/totp', { name: 'Phone' })
  expect(created.statusCode, created.body).toBe(201)
  const { id, secret } = created.json()
  const confirmed = await send(session, 'POST', `/api/admin/account/totp/${id}/confirm`, {
    code: totpCode(secret),
  })
  expect(confirmed.statusCode, confirmed.body).toBe(200)
  return { id, secret, ...confirmed.json() }
}

export async function addPasskey(
  session: Session,
  key = new SoftwareAuthenticator({ origin: CONSOLE }),
) {
  const options = await send(session, 'POST', '/api/admin/account/passkeys/options')
  expect(options.statusCode, options.body).toBe(200)
  const added = await send(session, 'POST', '/api/admin/account/passkeys', {
    name: 'Key',
    response: key.create(options.json()),
  })
  expect(added.statusCode, added.body).toBe(201)
  return { key, ...added.json() }
}

export async function auditOf(session: Session, action: string) {
  const listed = await send(session, 'GET', `/api/admin/audit?limit=100&action=${action}`)
  return listed.json().entries
}
