import { afterEach, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { createPerson, type TestPerson } from './support/person.ts'
import { sendRaw } from './support/raw-http.ts'

// The session was looked at when the headers of a request had come, and its body may come half a
// minute later: who was thrown out meanwhile still made somebody an admin.

afterEach(() => {
  vi.useRealTimers()
})

/** Sends the headers of a request, and its body when something has happened meanwhile. */
async function sendInHalves(
  { app }: TestApp,
  { path, authorization, body }: Readonly<Record<'path' | 'authorization' | 'body', string>>,
  meanwhile: () => Promise<unknown>,
): Promise<string> {
  const head = [
    `POST ${path} HTTP/1.1`,
    ...['Host: 127.0.0.1', 'Content-Type: application/json'],
    // Node answers 100 when it has read the headers.
    ...[`Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close'],
    `Authorization: ${authorization}`,
  ].join('\r\n')
  const { text } = await sendRaw(app, `${head}\r\n\r\n`, {
    later: async () => {
      await meanwhile()
      return body
    },
  })
  return text
}

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
    const text = await sendInHalves(
      t,
      { path: PEOPLE, authorization: mallory.headers.authorization, body },
      () => end(t, mallory),
    )
    expect(text).toMatch(/HTTP\/1\.1 401 .*"code":"TOKEN_REVOKED"/s)
    const people = await t.app.inject({ url: PEOPLE, headers: t.asAdmin })
    expect(people.body).not.toContain('second@sluice.test')
  },
)

const clients = '/api/admin/client-credentials'

const CLIENT_ENDINGS: Readonly<
  Record<string, readonly [code: string, end: (t: TestApp, id: number) => Promise<unknown>]>
> = {
  'the secret that its token came from is ended': [
    'TOKEN_REVOKED',
    async (t, id) => {
      const headers = t.asAdmin
      await t.app.inject({ method: 'POST', url: `${clients}/${id}/rotate-secret`, headers })
      await t.app.inject({ method: 'DELETE', url: `${clients}/${id}/old-secret`, headers })
    },
  ],
  'it may be used from elsewhere only': [
    'ADDRESS_FORBIDDEN',
    (t, id) =>
      t.app.inject({
        ...{ method: 'PATCH', url: `${clients}/${id}/limits`, headers: t.asAdmin },
        payload: { allowedIps: ['203.0.113.7'] },
      }),
  ],
}

test.each(Object.entries(CLIENT_ENDINGS))(
  "a bot's order whose body comes late is not sent when meanwhile %s",
  async (_, [code, end]) => {
    const t = await testApp()
    const { id, headers } = await t.client()
    const order = {
      symbol: 'BTC_USDT',
      side: 'BUY',
      type: 'LIMIT',
      quantity: '0.01',
      price: '50000',
    }
    vi.useFakeTimers({ toFake: ['performance'] })
    const text = await sendInHalves(
      t,
      {
        path: '/api/mx/v1/submitOrder',
        authorization: headers.authorization,
        body: JSON.stringify(order),
      },
      async () => {
        await end(t, id)
        vi.advanceTimersByTime(1_500)
      },
    )
    expect(text).toContain(`"code":"${code}"`)
    expect(t.paper.orders('mx')).toEqual([])
  },
)
