import { expect, test } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { createPerson, type TestPerson } from './support/person.ts'
import { sendRaw } from './support/raw-http.ts'

// The session was looked at when the headers of a request had come, and its body may come half a
// minute later: who was thrown out meanwhile still made somebody an admin.

const PEOPLE = '/api/admin/people'

const ENDINGS: Readonly<Record<string, (t: TestApp, mallory: TestPerson) => Promise<unknown>>> = {
  'is disabled': (t, { id }) =>
    t.app.inject({
      ...{ method: 'PATCH', url: `${PEOPLE}/${id}`, headers: t.asAdmin },
      payload: { isDisabled: true },
    }),
  'gets another role': (t, { id }) =>
    t.app.inject({
      ...{ method: 'PATCH', url: `${PEOPLE}/${id}`, headers: t.asAdmin },
      payload: { role: 'viewer' },
    }),
  'signs out': (t, { headers }) => t.app.inject({ method: 'POST', url: '/auth/logout', headers }),
}

test.each(Object.entries(ENDINGS))(
  'a request that is half sent is refused when who sends it %s before the rest comes',
  async (_, end) => {
    const t = await testApp()
    const mallory = await createPerson(t, 'admin', 'mallory@sluice.test')
    const body = JSON.stringify({ email: 'second@sluice.test', role: 'admin' })
    const head = [
      `POST ${PEOPLE} HTTP/1.1`,
      ...['Host: 127.0.0.1', 'Content-Type: application/json'],
      // Node answers 100 when it has read the headers.
      ...[`Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close'],
      `Authorization: ${mallory.headers.authorization}`,
    ].join('\r\n')
    const { text } = await sendRaw(t.app, `${head}\r\n\r\n`, {
      later: async () => {
        await end(t, mallory)
        return body
      },
    })
    expect(text).toMatch(/HTTP\/1\.1 401 .*"code":"TOKEN_REVOKED"/s)
    const people = await t.app.inject({ url: PEOPLE, headers: t.asAdmin })
    expect(people.body).not.toContain('second@sluice.test')
  },
)
