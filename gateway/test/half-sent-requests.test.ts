import {
  changeClientLimits,
  changePerson,
  createPerson,
  endOldSecret,
  listPeople,
  logout,
  mxSubmitOrder,
  rotateClientSecret,
} from 'schema'
import { afterEach, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { createPerson as person, type TestPerson } from './support/person.ts'
import { ORDER } from './support/place.ts'
import { sendRaw } from './support/raw-http.ts'

// The session was looked at when the headers of a request had come, and its body may come half a
// minute later: a person who was removed in between still made somebody an admin.

afterEach(() => {
  vi.useRealTimers()
})

/** Sends the headers of a request, and its body when something has happened in between. */
async function sendInHalves(
  { app }: TestApp,
  path: string,
  { headers }: Pick<TestPerson, 'headers'>,
  fields: object,
  inBetween: () => Promise<unknown>,
): Promise<string> {
  const body = JSON.stringify(fields)
  const head = [
    `POST ${path} HTTP/1.1`,
    ...['Host: 127.0.0.1', 'Content-Type: application/json'],
    // Node answers 100 when it has read the headers.
    ...[`Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close'],
    `Authorization: ${headers.authorization}`,
  ].join('\r\n')
  const { text } = await sendRaw(app, `${head}\r\n\r\n`, {
    later: async () => {
      await inBetween()
      return body
    },
  })
  return text
}

type End<Of> = (t: TestApp, of: Of) => Promise<unknown>

const ENDINGS: Readonly<Record<string, End<TestPerson>>> = {
  'is disabled': ({ call }, { id }) =>
    call(changePerson, { params: { id }, body: { isDisabled: true } }),
  'gets another role': ({ call }, { id }) =>
    call(changePerson, { params: { id }, body: { role: 'viewer' } }),
  'signs out': ({ call }, { headers }) => call(logout, {}, headers),
}

test.each(Object.entries(ENDINGS))(
  'a request that is half sent is refused when who sends it %s before the rest comes',
  async (_, end) => {
    const t = await testApp()
    const mallory = await person(t, 'admin', 'mallory@sluice.test')
    const body = { email: 'second@sluice.test', role: 'admin' }
    const text = await sendInHalves(t, createPerson.path, mallory, body, () => end(t, mallory))
    expect(text).toMatch(/HTTP\/1\.1 401 .*"code":"TOKEN_REVOKED"/s)
    expect((await t.call(listPeople)).text).not.toContain('second@sluice.test')
  },
)

const endSecret: End<number> = async ({ call }, id) => {
  await call(rotateClientSecret, { params: { id }, body: {} })
  await call(endOldSecret, { params: { id } })
}

const CLIENT_ENDINGS: Readonly<Record<string, readonly [code: string, end: End<number>]>> = {
  'the secret that its token came from is ended': ['TOKEN_REVOKED', endSecret],
  'the secret that came in place of a token is ended': ['CLIENT_SECRET_INVALID', endSecret],
  'it may be used from elsewhere only': [
    'ADDRESS_FORBIDDEN',
    ({ call }, id) =>
      call(changeClientLimits, { params: { id }, body: { allowedIps: ['203.0.113.7'] } }),
  ],
}

test.each(Object.entries(CLIENT_ENDINGS))(
  "a bot's order whose body comes late is not sent when in between %s",
  async (_, [code, end]) => {
    const t = await testApp()
    const bot = await t.client()
    const isBySecret = code === 'CLIENT_SECRET_INVALID'
    await t.call(changeClientLimits, {
      ...{ params: { id: bot.id }, body: { secretAsBearer: isBySecret } },
    })
    const authorization = `Bearer ${bot.clientId}:${bot.clientSecret}`
    const path = isBySecret ? '/mx/api/v3/order' : mxSubmitOrder.path
    const sender = isBySecret ? { headers: { authorization } } : bot
    vi.useFakeTimers({ toFake: ['performance'] })
    const text = await sendInHalves(t, path, sender, ORDER, async () => {
      await end(t, bot.id)
      vi.advanceTimersByTime(1_500)
    })
    expect(text).toContain(`"code":"${code}"`)
    expect(t.paper.orders('mx')).toEqual([])
  },
)
