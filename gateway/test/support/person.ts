import type { Role } from 'schema'
import type { TestApp } from '../app.ts'
import { ADMIN } from './admin.ts'
import { callOf } from './call.ts'

export interface TestPerson {
  readonly id: number
  readonly email: string
  readonly password: string
  readonly headers: { readonly authorization: string }
}

/** Signs in, from this machine unless an address is given. */
export async function signIn(
  { app }: TestApp,
  { email, password }: Pick<TestPerson, 'email' | 'password'>,
  remoteAddress = '127.0.0.1',
) {
  return app.inject({
    ...{ method: 'POST', url: '/auth/login', payload: { email, password }, remoteAddress },
  })
}

/** The headers of a session that begins now. */
export async function sessionOf(
  t: TestApp,
  person: Pick<TestPerson, 'email' | 'password'>,
  remoteAddress?: string,
): Promise<TestPerson['headers']> {
  const response = await signIn(t, person, remoteAddress)
  if (response.statusCode !== 200) throw new Error(`Nobody could sign in: ${response.body}`)
  return { authorization: `Bearer ${response.json().token}` }
}

let addresses = 0
/** An address that nobody signed in from: attempts are counted by address. */
function newAddress(): string {
  addresses += 1
  return `10.9.${Math.floor(addresses / 250)}.${1 + (addresses % 250)}`
}

/**
 * A shared app with a session of the administrator that begins now: it has confirmed a factor in
 * the last minutes, and what other tests did to theirs does not count.
 */
export async function withNewSession<T extends TestApp>(t: T): Promise<T> {
  const asAdmin = await sessionOf(t, ADMIN, newAddress())
  return { ...t, asAdmin, call: callOf(t.app, asAdmin) }
}

/** A person with a role, who is signed in. */
export async function createPerson(
  t: TestApp,
  role: Role,
  email = `a-${role}@sluice.test`,
): Promise<TestPerson> {
  const password = `the password of ${role}`
  const created = await t.app.inject({
    ...{ method: 'POST', url: '/api/admin/people', headers: t.asAdmin },
    payload: { email, role, password },
  })
  if (created.statusCode !== 201) throw new Error(`Nobody was created: ${created.body}`)
  const { id } = created.json().person
  return { id, email, password, headers: await sessionOf(t, { email, password }) }
}
