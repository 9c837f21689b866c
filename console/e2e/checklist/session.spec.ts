import type { Page } from '@playwright/test'
import {
  createClient,
  deleteClient,
  getToken,
  listApiKeys,
  listClients,
  login,
  toggleClient,
} from 'schema'
import { passMs } from '../support/freeze-clock.ts'
import { clientOf, samples } from '../support/samples.ts'
import { settle } from '../support/stub-gateway.ts'
import {
  expect,
  SESSION,
  shellOf,
  signIn,
  signInScreenOf,
  storedKeys,
  storeSession,
  test,
  toastOf,
} from '../support/test.ts'

const NO_KEYS = { authToken: null, user: null }
const USER = JSON.stringify(SESSION.user)

async function submitNewClient(page: Page) {
  await page.getByLabel('Client ID', { exact: true }).fill('new-bot')
  await page.getByRole('button', { name: 'Create Client Credentials' }).click()
}

test('1. without a session the sign-in screen asks the gateway nothing', async ({
  page,
  gateway,
}) => {
  await page.goto('/')
  await expect(signInScreenOf(page)).toBeVisible()
  await settle(page)
  expect(gateway.all()).toEqual([])
})

test('2. with only one of its two keys stored the sign-in screen is shown', async ({ page }) => {
  for (const [name, token, user] of [
    ['authToken', 'admin-token', null],
    ['user', null, USER],
  ] as const)
    await test.step(`2. only ${name}`, async () => {
      await page.evaluate(() => localStorage.clear())
      await storeSession(page, token, user)
      await page.goto('/')
      await expect(signInScreenOf(page)).toBeVisible()
      await expect(shellOf(page)).toBeHidden()
    })
})

test('3. 5. a stored session is checked with one call that carries its token, and kept', async ({
  page,
  gateway,
  signedIn,
}) => {
  await page.goto('/client-credentials')
  await expect(page.getByRole('heading', { name: 'Client Credentials (3)' })).toBeVisible()
  await settle(page)
  expect(gateway.calls(listClients)).toHaveLength(1)
  const [check] = gateway.calls(listClients)
  expect(check?.headers().authorization).toBe(`Bearer ${signedIn.token}`)
  await test.step('5. an accepted session is kept', async () => {
    expect(await storedKeys(page)).toEqual({ authToken: signedIn.token, user: USER })
  })
})

test('4. while the check is pending there is a spinner and nothing else', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  const release = gateway.hold(listClients)
  await page.goto('/')
  await expect(page.getByRole('status', { name: 'Loading Sluice' })).toBeVisible()
  await expect(page.getByLabel('Email')).toHaveCount(0)
  await expect(page.getByRole('navigation')).toHaveCount(0)
  release()
  await expect(shellOf(page)).toBeVisible()
})

test('6. a rejected session is removed', async ({ page, gateway, signedIn: _ }) => {
  gateway.respond(listClients, { status: 401 })
  await page.goto('/')
  await expect(signInScreenOf(page)).toBeVisible()
  expect(await storedKeys(page)).toEqual(NO_KEYS)
})

test('7. a response to the check that is no 401 keeps the session', async ({
  page,
  gateway,
  signedIn,
}) => {
  for (const status of [403, 404, 429, 500])
    await test.step(`7. ${status}`, async () => {
      gateway.respond(listClients, { status, body: { message: 'no' } })
      await page.goto('/')
      await expect(shellOf(page)).toBeVisible()
      expect(await storedKeys(page)).toEqual({ authToken: signedIn.token, user: USER })
    })
})

test('8. a network failure of the check ends the session', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  gateway.respond(listClients, 'offline')
  await page.goto('/')
  await expect(signInScreenOf(page)).toBeVisible()
  expect(await storedKeys(page)).toEqual(NO_KEYS)
  await expect(page.getByText('The gateway could not be reached')).toBeVisible()
  await expect(page.getByLabel('Email')).toHaveValue(SESSION.user.email)
})

test('9. a stored user that is none ends the session', async ({ page }) => {
  for (const user of ['{bad', 'null', '"text"', '{"id":1}'])
    await test.step(`9. ${user}`, async () => {
      await storeSession(page, 'admin-token', user)
      await page.goto('/')
      await expect(signInScreenOf(page)).toBeVisible()
      expect(await storedKeys(page)).toEqual(NO_KEYS)
    })
})

test('10. after sign-in the token is stored as it is and the user as JSON', async ({
  page,
  gateway,
}) => {
  const user = { id: 5, email: 'eve@example.com' }
  gateway.respond(login, {
    body: { token: 'abc.def', expiresAt: '2026-03-05T22:30:22.000Z', user },
  })
  await page.goto('/')
  await signIn(page)
  await expect(shellOf(page)).toBeVisible()
  const stored = await storedKeys(page)
  expect(stored.authToken).toBe('abc.def')
  expect(JSON.parse(stored.user ?? '')).toEqual(user)
})

test('11. every call is made with credentials included', async ({ page }) => {
  await page.addInitScript(() => {
    const seen: unknown[] = []
    Object.assign(window, { seen })
    const original = window.fetch
    window.fetch = (target, init) => {
      const { pathname } = new URL(String(target), location.href)
      if (pathname !== '/config.json')
        seen.push(`${init?.method ?? 'GET'} ${pathname} ${init?.credentials}`)
      return original(target, init)
    }
  })
  await page.goto('/client-credentials')
  await signIn(page)
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
  await submitNewClient(page)
  await expect(toastOf(page)).toContainText('Created')
  const seen = await page.evaluate((): unknown[] =>
    'seen' in window && Array.isArray(window.seen) ? window.seen : [],
  )
  // A poll in between asks again for one of these.
  expect([...new Set(seen)].toSorted()).toEqual([
    'GET /api/admin/api-keys include',
    'GET /api/admin/client-credentials include',
    'GET /api/admin/operations include',
    'POST /api/admin/client-credentials include',
    'POST /auth/login include',
  ])
})

test('12. signed-in calls carry the stored token, the sign-in none', async ({ page, gateway }) => {
  await page.goto('/client-credentials')
  await signIn(page)
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
  expect(gateway.calls(login)[0]?.headers().authorization).toBeUndefined()
  expect(gateway.calls(listClients)[0]?.headers().authorization).toBe(
    `Bearer ${samples.login.token}`,
  )
})

test('13. only calls with a body carry a content type', async ({ page, gateway, signedIn: _ }) => {
  await page.goto('/client-credentials')
  await submitNewClient(page)
  await expect.poll(() => gateway.calls(createClient).length).toBe(1)
  await page.getByRole('switch', { name: 'grid-bot' }).press('Space')
  await expect.poll(() => gateway.calls(toggleClient).length).toBe(1)
  const typeOf = (endpoint: typeof listClients | typeof toggleClient | typeof createClient) =>
    gateway.calls(endpoint)[0]?.headers()['content-type']
  expect(typeOf(listClients)).toBeUndefined()
  expect(typeOf(toggleClient)).toContain('application/json')
  expect(typeOf(createClient)).toContain('application/json')
})

test('13. a DELETE carries no content type', async ({ page, gateway, signedIn: _ }) => {
  await page.goto('/client-credentials')
  await page.getByRole('button', { name: 'Delete grid-bot' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect.poll(() => gateway.calls(deleteClient).length).toBe(1)
  expect(gateway.calls(deleteClient)[0]?.headers()['content-type']).toBeUndefined()
})

test('14. reads use GET', async ({ page, gateway, signedIn: _ }) => {
  await page.goto('/api-keys')
  await expect(page.getByRole('table')).toBeVisible()
  expect(gateway.all().map((request) => request.method())).toEqual(['GET', 'GET'])
})

test('15. a 401 removes the session and loads the page anew at the same address', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  await page.goto('/client-credentials?q=1')
  await expect(shellOf(page)).toBeVisible()
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  gateway.respond(listClients, { status: 401 })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(signInScreenOf(page)).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/client-credentials')
  expect(await storedKeys(page)).toEqual(NO_KEYS)
  // The screen may be there before the page counts as loaded.
  await expect.poll(() => loads).toBe(1)
  await expect(page.getByText('Your session has ended')).toBeVisible()
  await page.reload()
  await expect(signInScreenOf(page)).toBeVisible()
  await expect(page.getByText('Your session has ended')).toBeHidden()
})

test('16. three calls with 401 at once cause one reload', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  await page.goto('/client-credentials')
  await expect(shellOf(page)).toBeVisible()
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  const release = [gateway.hold(listClients), gateway.hold(toggleClient)]
  gateway.respond(listClients, { status: 401 })
  gateway.respond(toggleClient, { status: 401 })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('switch', { name: 'grid-bot' }).press('Space')
  await page.getByRole('switch', { name: 'arbitrage' }).press('Space')
  await expect.poll(() => gateway.calls(toggleClient).length).toBe(2)
  for (const go of release) go()
  await expect(signInScreenOf(page)).toBeVisible()
  await expect.poll(() => loads).toBe(1)
  await settle(page)
  expect(loads).toBe(1)
})

test('17. between a read with 401 and the reload nothing crashes and no toast shows', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
  // The reload waits, which leaves time to see what is shown in between.
  await page.route('**/client-credentials', async (route) => {
    if (route.request().isNavigationRequest()) await new Promise((done) => setTimeout(done, 500))
    await route.fallback()
  })
  await page.evaluate(() => {
    new MutationObserver(() => {
      const text = document.body.innerText
      const hasShell = document.querySelector('[aria-label="Logout"]') !== null
      const isFine = hasShell && !/Could not read|Error/.test(text)
      if (!isFine) sessionStorage.setItem('test.broken', text)
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
  gateway.respond(listClients, { status: 401 })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(signInScreenOf(page)).toBeVisible()
  expect(await page.evaluate(() => sessionStorage.getItem('test.broken'))).toBeNull()
})

test('18. an error is the status, a colon and the body', async ({ page, gateway, signedIn: _ }) => {
  gateway.respond(createClient, { status: 500, body: 'boom' })
  await page.goto('/client-credentials')
  await submitNewClient(page)
  await expect(toastOf(page)).toContainText('500: boom')
})

test('19. an error with an empty body has the status text, also when none is sent', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(Response.prototype, 'statusText', { get: () => '' })
  })
  gateway.respond(createClient, { status: 503 })
  await page.goto('/client-credentials')
  await submitNewClient(page)
  await expect(toastOf(page)).toContainText('503: Service Unavailable')
})

test('20. a failed read of the credentials is not repeated', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  await page.clock.install()
  gateway.respond(listClients, { status: 500, body: 'boom' })
  await page.goto('/client-credentials')
  await expect(page.getByText('500: boom')).toBeVisible()
  await passMs(page, 10_000)
  expect(gateway.calls(listClients)).toHaveLength(1)
})

test('21. a failed change is not repeated', async ({ page, gateway, signedIn: _ }) => {
  await page.clock.install()
  gateway.respond(createClient, { status: 500, body: 'boom' })
  await page.goto('/client-credentials')
  await submitNewClient(page)
  await expect(toastOf(page)).toContainText('500: boom')
  await passMs(page, 10_000)
  expect(gateway.calls(createClient)).toHaveLength(1)
})

test('22. leaving the window and coming back causes no call', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  await page.clock.install()
  await page.goto('/api-keys')
  await expect(page.getByRole('table')).toBeVisible()
  const before = gateway.all().length
  await passMs(page, 5000)
  await page.evaluate(() => {
    for (const state of ['hidden', 'visible']) {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state })
      document.dispatchEvent(new Event('visibilitychange'))
      window.dispatchEvent(new Event(state === 'hidden' ? 'blur' : 'focus'))
    }
  })
  await passMs(page, 5000)
  expect(gateway.all()).toHaveLength(before)
})

test('23. the lists are not polled', async ({ page, gateway, goTo, signedIn: _ }) => {
  await page.clock.install()
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
  await passMs(page, 60_000)
  expect(gateway.calls(listClients)).toHaveLength(1)
  await goTo('API Key Management')
  await expect(page.getByRole('table')).toBeVisible()
  await passMs(page, 60_000)
  expect(gateway.calls(listApiKeys)).toHaveLength(1)
})

test('24. going to another page and back reads the credentials no second time', async ({
  page,
  gateway,
  goTo,
  signedIn: _,
}) => {
  await page.clock.install()
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
  await goTo('API Key Management')
  await expect(page.getByRole('table')).toBeVisible()
  await passMs(page, 10_000)
  await goTo('Client Credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
  await passMs(page, 1000)
  expect(gateway.calls(listClients)).toHaveLength(1)
})

test('25. Logout removes the session and shows the sign-in screen', async ({
  page,
  signedIn: _,
}) => {
  await page.goto('/client-credentials')
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(signInScreenOf(page)).toBeVisible()
  expect(await storedKeys(page)).toEqual(NO_KEYS)
})

test("26. the next user sees nothing of the first user's data", async ({
  page,
  gateway,
  signedIn: _,
}) => {
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  gateway.respond(listClients, { body: [clientOf({ id: 99, clientId: 'of-the-second' })] })
  const release = gateway.hold(listClients)
  await signIn(page, 'second@example.com')
  await expect(shellOf(page)).toBeVisible()
  await expect(page.getByText('market-maker')).toHaveCount(0)
  release()
  await expect(page.getByText('Client Credentials (1)')).toBeVisible()
  await expect(page.getByText('market-maker')).toHaveCount(0)
  expect(gateway.calls(listClients)).toHaveLength(2)
})

test('26. a token that arrives after the sign-out is not shown to the next user', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  const release = gateway.hold(getToken)
  gateway.respond(getToken, { body: { ...getToken.sample.response, token: 'of-the-first' } })
  await page.goto('/mexc/auth/token')
  await page.getByLabel('clientId', { exact: true }).fill('bot-of-the-first')
  await page.getByLabel('clientSecret', { exact: true }).fill('sls_secret')
  await page.getByRole('button', { name: 'Send Request' }).click()
  await expect.poll(() => gateway.calls(getToken).length).toBe(1)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(signInScreenOf(page)).toBeVisible()
  const responded = page.waitForResponse(`**${getToken.path}`)
  release()
  await (await responded).finished()
  await signIn(page, 'second@example.com')
  await expect(page.getByLabel('JWT token', { exact: true })).toHaveValue('')
  await expect(page.getByRole('region', { name: 'Recent requests' })).toHaveCount(0)
})

test('a 401 that arrives after the sign-out disturbs neither the form nor the next session', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
  const release = gateway.hold(listClients)
  let response = 401
  gateway.respond(listClients, () => ({ status: response, body: samples.clients }))
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect.poll(() => gateway.calls(listClients).length).toBe(2)
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByLabel('Email').fill('typed@example.com')
  const responded = page.waitForResponse((each) => each.status() === 401)
  release()
  await (await responded).finished()
  response = 200
  await expect(page.getByLabel('Email')).toHaveValue('typed@example.com')
  await expect(page.getByText('Your session has ended')).toHaveCount(0)
  await signIn(page, 'second@example.com')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
})

test('what another tab stores does not hold up the check of the session', async ({
  page,
  context,
  gateway,
  signedIn: _,
}) => {
  const release = gateway.hold(listClients)
  await page.goto('/')
  await expect(page.getByRole('status', { name: 'Loading Sluice' })).toBeVisible()
  const other = await context.newPage()
  await other.goto('/favicon.svg')
  await other.evaluate(() => localStorage.setItem('mantine-color-scheme-value', 'dark'))
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  release()
  await expect(shellOf(page)).toBeVisible()
})

test('225. a sign-in in another tab is followed, also when its two keys arrive apart', async ({
  page,
  context,
}) => {
  await page.goto('/client-credentials')
  await expect(signInScreenOf(page)).toBeVisible()
  const other = await context.newPage()
  await other.goto('/favicon.svg')
  const store = (key: string, value: string) =>
    other.evaluate(([name, text]) => localStorage.setItem(name, text), [key, value] as const)
  await page.evaluate(() => {
    addEventListener('storage', ({ key }) => sessionStorage.setItem('test.key', `${key}`))
  })
  await store('authToken', SESSION.token)
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('test.key'))).toBe('authToken')
  await store('user', USER)
  await expect(shellOf(page)).toBeVisible()
  expect(await storedKeys(page)).toEqual({ authToken: SESSION.token, user: USER })
})

test('26. the recent messages of the first user are gone with the session', async ({ page }) => {
  await page.goto('/client-credentials')
  await signIn(page)
  await expect(toastOf(page)).toContainText('admin@example.com')
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(signInScreenOf(page)).toBeVisible()
  await page.keyboard.press('F8')
  const messages = page.getByRole('region', { name: 'Notifications (F8)' })
  await expect(messages).toContainText('Recent messages')
  await expect(messages).not.toContainText('admin@example.com')
})
