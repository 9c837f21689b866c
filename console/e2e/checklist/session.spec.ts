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
import { openFrozen, passMs, stepUntilVisible } from '../support/freeze-clock.ts'
import { clientOf, samples } from '../support/samples.ts'
import { settle } from '../support/stub-gateway.ts'
import {
  expect,
  goWithin,
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

const storeUser = (page: Page, user = USER) => storeSession(page, SESSION.token, user)
const listed = (page: Page, count = 3) => page.getByText(`Client Credentials (${count})`)
const refreshButton = (page: Page) => page.getByRole('button', { name: 'Refresh' })

/** Waits for the sign-in screen of a page without a session. */
async function expectSignedOut(page: Page) {
  await expect(signInScreenOf(page)).toBeVisible()
  expect(await storedKeys(page)).toEqual(NO_KEYS)
}

async function submitNewClient(page: Page) {
  await page.getByLabel('Client ID', { exact: true }).fill('new-bot')
  await page.getByRole('button', { name: 'Create Client Credentials' }).click()
}

test('1. 2. 6. 8. 9. without a session that is whole and accepted there is the sign-in screen', async ({
  page,
  gateway,
}) => {
  await test.step('1. without a session the screen asks the gateway nothing', async () => {
    await page.goto('/')
    await expect(signInScreenOf(page)).toBeVisible()
    await settle(page)
    expect(gateway.all()).toEqual([])
  })
  for (const [name, token, user] of [
    ['authToken', 'admin-token', null],
    ['user', null, USER],
  ] as const)
    await test.step(`2. only ${name} of the two keys is stored`, async () => {
      await page.evaluate(() => localStorage.clear())
      await storeSession(page, token, user)
      await page.goto('/')
      await expect(signInScreenOf(page)).toBeVisible()
      await expect(shellOf(page)).toBeHidden()
    })
  for (const user of ['{bad', 'null', '"text"', '{"id":1}'])
    await test.step(`9. ${user} is no user and ends the session`, async () => {
      await storeUser(page, user)
      await page.goto('/')
      await expectSignedOut(page)
    })
  await test.step('6. a rejected session is removed', async () => {
    gateway.respond(listClients, { status: 401 })
    await storeUser(page)
    await page.goto('/')
    await expectSignedOut(page)
  })
  await test.step('8. a network failure of the check ends the session', async () => {
    gateway.respond(listClients, 'offline')
    await storeUser(page)
    await page.goto('/')
    await expectSignedOut(page)
    await expect(page.getByText('The gateway could not be reached')).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue(SESSION.user.email)
  })
})

test('3. 5. 7. 13. 14. 18. 19. a stored session is checked and kept; what calls and errors hold', async ({
  page,
  gateway,
  signedIn,
}) => {
  const kept = { authToken: signedIn.token, user: USER }
  await test.step('3. the check is one call that carries the token', async () => {
    await page.goto('/client-credentials')
    await expect(page.getByRole('heading', { name: 'Client Credentials (3)' })).toBeVisible()
    await settle(page)
    expect(gateway.calls(listClients)).toHaveLength(1)
    const [check] = gateway.calls(listClients)
    expect(check?.headers().authorization).toBe(`Bearer ${signedIn.token}`)
  })
  await test.step('5. an accepted session is kept', async () => {
    expect(await storedKeys(page)).toEqual(kept)
  })
  await test.step('14. reads use GET', async () => {
    await goWithin(page, '/api-keys')
    await expect(page.getByRole('table')).toBeVisible()
    expect(gateway.all().map((request) => request.method())).toEqual(['GET', 'GET'])
  })
  await test.step('18. an error is the status, a colon and the body', async () => {
    await goWithin(page, '/client-credentials')
    gateway.respond(createClient, { status: 500, body: 'boom' })
    await submitNewClient(page)
    await expect(toastOf(page)).toContainText('500: boom')
  })
  await test.step('19. without a body it has the status text, also when none is sent', async () => {
    await page.evaluate(() => {
      Object.defineProperty(Response.prototype, 'statusText', { get: () => '' })
    })
    gateway.respond(createClient, { status: 503 })
    await submitNewClient(page)
    await expect(toastOf(page)).toContainText('503: Service Unavailable')
  })
  await test.step('13. only calls with a body carry a content type, a DELETE none', async () => {
    await page.getByRole('button', { name: 'Delete grid-bot' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await expect.poll(() => gateway.calls(deleteClient).length).toBe(1)
    await page.getByRole('switch', { name: 'arbitrage' }).press('Space')
    await expect.poll(() => gateway.calls(toggleClient).length).toBe(1)
    for (const [endpoint, type] of [
      [listClients, undefined],
      [createClient, expect.stringContaining('application/json')],
      [toggleClient, expect.stringContaining('application/json')],
      [deleteClient, undefined],
    ] as const)
      expect(gateway.calls(endpoint)[0]?.headers()['content-type']).toEqual(type)
  })
  for (const status of [403, 404, 429, 500])
    await test.step(`7. the response ${status} to the check keeps the session`, async () => {
      gateway.respond(listClients, { status, body: { message: 'no' } })
      await page.goto('/')
      await expect(shellOf(page)).toBeVisible()
      expect(await storedKeys(page)).toEqual(kept)
    })
})

test('4. 225. a pending check shows a spinner alone; what another tab stores is followed', async ({
  page,
  context,
  gateway,
  signedIn: _,
}) => {
  const release = gateway.hold(listClients)
  const other = await context.newPage()
  await other.goto('/favicon.svg')
  const store = (key: string, value: string) =>
    other.evaluate(([name, text]) => localStorage.setItem(name, text), [key, value] as const)
  await test.step('4. while the check is pending there is a spinner and nothing else', async () => {
    await page.goto('/')
    await expect(page.getByRole('status', { name: 'Loading Sluice' })).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveCount(0)
    await expect(page.getByRole('navigation')).toHaveCount(0)
  })
  await test.step('what another tab stores does not hold up the check', async () => {
    await store('mantine-color-scheme-value', 'dark')
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
    release()
    await expect(shellOf(page)).toBeVisible()
  })
  await test.step('225. a sign-in is followed, also when its two keys arrive apart', async () => {
    await page.getByRole('button', { name: 'Logout' }).click()
    await expectSignedOut(page)
    await page.evaluate(() => {
      addEventListener('storage', ({ key }) => sessionStorage.setItem('test.key', `${key}`))
    })
    await store('authToken', SESSION.token)
    await expect
      .poll(() => page.evaluate(() => sessionStorage.getItem('test.key')))
      .toBe('authToken')
    await store('user', USER)
    await expect(shellOf(page)).toBeVisible()
    expect(await storedKeys(page)).toEqual({ authToken: SESSION.token, user: USER })
  })
  await other.close()
})

test('10. 11. 12. what a sign-in stores, and what calls carry', async ({ page, gateway }) => {
  const user = { id: 5, email: 'eve@example.com' }
  gateway.respond(login, {
    body: { token: 'abc.def', expiresAt: '2026-03-05T22:30:22.000Z', user },
  })
  await page.goto('/client-credentials')
  await page.evaluate(() => {
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
  await signIn(page)
  await expect(listed(page)).toBeVisible()
  await test.step('10. the token is stored as it is and the user as JSON', async () => {
    const stored = await storedKeys(page)
    expect(stored.authToken).toBe('abc.def')
    expect(JSON.parse(stored.user ?? '')).toEqual(user)
  })
  await test.step('12. signed-in calls carry the stored token, the sign-in none', async () => {
    expect(gateway.calls(login)[0]?.headers().authorization).toBeUndefined()
    expect(gateway.calls(listClients)[0]?.headers().authorization).toBe('Bearer abc.def')
  })
  await test.step('11. every call is made with credentials included', async () => {
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
})

test('25. 26. a sign-out leaves nothing for the next user', async ({ page, gateway }) => {
  const logout = () => page.getByRole('button', { name: 'Logout' }).click()
  await page.goto('/client-credentials')
  await signIn(page)
  await expect(toastOf(page)).toContainText('admin@example.com')
  await expect(listed(page)).toBeVisible()
  await test.step('25. Logout removes the session and shows the sign-in screen', async () => {
    await logout()
    await expectSignedOut(page)
  })
  await test.step('26. the recent messages of the first user are gone', async () => {
    await page.keyboard.press('F8')
    const messages = page.getByRole('region', { name: 'Notifications (F8)' })
    await expect(messages).toContainText('Recent messages')
    await expect(messages).not.toContainText('admin@example.com')
  })
  await test.step("26. the next user sees nothing of the first user's data", async () => {
    gateway.respond(listClients, { body: [clientOf({ id: 99, clientId: 'of-the-second' })] })
    const release = gateway.hold(listClients)
    await signIn(page, 'second@example.com')
    await expect(shellOf(page)).toBeVisible()
    await expect(page.getByText('market-maker')).toHaveCount(0)
    release()
    await expect(listed(page, 1)).toBeVisible()
    await expect(page.getByText('market-maker')).toHaveCount(0)
    expect(gateway.calls(listClients)).toHaveLength(2)
  })
  await test.step('26. a token that arrives later is not shown to the next user', async () => {
    const release = gateway.hold(getToken)
    gateway.respond(getToken, { body: { ...getToken.sample.response, token: 'of-the-first' } })
    await goWithin(page, '/mexc/auth/token')
    await page.getByLabel('clientId', { exact: true }).fill('bot-of-the-first')
    await page.getByLabel('clientSecret', { exact: true }).fill('sls_secret')
    await page.getByRole('button', { name: 'Send Request' }).click()
    await expect.poll(() => gateway.calls(getToken).length).toBe(1)
    await logout()
    await expect(signInScreenOf(page)).toBeVisible()
    const responded = page.waitForResponse(`**${getToken.path}`)
    release()
    await (await responded).finished()
    await signIn(page, 'second@example.com')
    await expect(page.getByLabel('JWT token', { exact: true })).toHaveValue('')
    await expect(page.getByRole('region', { name: 'Recent requests' })).toHaveCount(0)
  })
  await test.step('a later 401 disturbs neither the form nor the next session', async () => {
    await goWithin(page, '/client-credentials')
    await expect(listed(page, 1)).toBeVisible()
    await settle(page)
    const release = gateway.hold(listClients)
    const calls = gateway.calls(listClients).length
    gateway.respond(listClients, { status: 401 })
    await refreshButton(page).click()
    await expect.poll(() => gateway.calls(listClients).length).toBe(calls + 1)
    await logout()
    await page.getByLabel('Email').fill('typed@example.com')
    const responded = page.waitForResponse((each) => each.status() === 401)
    release()
    await (await responded).finished()
    gateway.respond(listClients, { body: samples.clients })
    await expect(page.getByLabel('Email')).toHaveValue('typed@example.com')
    await expect(page.getByText('Your session has ended')).toHaveCount(0)
    await signIn(page, 'second@example.com')
    await expect(listed(page)).toBeVisible()
  })
})

test('15. 16. 17. a 401 ends the session with one load of the page', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  let loads = 0
  const comeBack = async () => {
    gateway.respond(listClients, { body: samples.clients })
    await signIn(page)
    await goWithin(page, '/client-credentials')
    await expect(listed(page)).toBeVisible()
    loads = 0
  }
  await page.goto('/client-credentials?q=1')
  await expect(shellOf(page)).toBeVisible()
  page.on('load', () => {
    loads += 1
  })
  await test.step('15. the session is removed, the address stays', async () => {
    gateway.respond(listClients, { status: 401 })
    await refreshButton(page).click()
    await expectSignedOut(page)
    expect(new URL(page.url()).pathname).toBe('/client-credentials')
    // The screen may be there before the page counts as loaded.
    await expect.poll(() => loads).toBe(1)
    await expect(page.getByText('Your session has ended')).toBeVisible()
    await page.reload()
    await expect(signInScreenOf(page)).toBeVisible()
    await expect(page.getByText('Your session has ended')).toBeHidden()
  })
  await test.step('16. three calls with 401 at once cause one load', async () => {
    await comeBack()
    const release = [gateway.hold(listClients), gateway.hold(toggleClient)]
    for (const endpoint of [listClients, toggleClient]) gateway.respond(endpoint, { status: 401 })
    await refreshButton(page).click()
    await page.getByRole('switch', { name: 'grid-bot' }).press('Space')
    await page.getByRole('switch', { name: 'arbitrage' }).press('Space')
    await expect.poll(() => gateway.calls(toggleClient).length).toBe(2)
    for (const go of release) go()
    await expect(signInScreenOf(page)).toBeVisible()
    await expect.poll(() => loads).toBe(1)
    await settle(page)
    expect(loads).toBe(1)
  })
  await test.step('17. until the load nothing crashes and no toast shows', async () => {
    await comeBack()
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
    await refreshButton(page).click()
    await expect(signInScreenOf(page)).toBeVisible()
    expect(await page.evaluate(() => sessionStorage.getItem('test.broken'))).toBeNull()
  })
})

test('20. to 24. nothing is read or sent a second time by itself', async ({
  page,
  gateway,
  goTo,
  signedIn: _,
}) => {
  gateway.respond(listClients, { status: 500, body: 'boom' })
  await openFrozen(page, '/client-credentials', page.getByText('500: boom'))
  await test.step('20. a failed read of the credentials is not repeated', async () => {
    await passMs(page, 10_000)
    expect(gateway.calls(listClients)).toHaveLength(1)
  })
  await test.step('21. a failed change is not repeated', async () => {
    gateway.respond(createClient, { status: 500, body: 'boom' })
    await submitNewClient(page)
    await stepUntilVisible(page, toastOf(page))
    await expect(toastOf(page)).toContainText('500: boom')
    await passMs(page, 10_000)
    expect(gateway.calls(createClient)).toHaveLength(1)
  })
  gateway.respond(listClients, { body: samples.clients })
  await page.getByRole('button', { name: 'Try again' }).click()
  await stepUntilVisible(page, listed(page))
  await test.step('23. the credentials are not polled', async () => {
    await passMs(page, 60_000)
    expect(gateway.calls(listClients)).toHaveLength(2)
  })
  await test.step('24. another page and back read the credentials no second time', async () => {
    await goTo('API Key Management')
    await stepUntilVisible(page, page.getByRole('table'))
    await passMs(page, 10_000)
    await goTo('Client Credentials')
    await stepUntilVisible(page, listed(page))
    await passMs(page, 1000)
    expect(gateway.calls(listClients)).toHaveLength(2)
  })
  await goTo('API Key Management')
  await stepUntilVisible(page, page.getByRole('table'))
  await test.step('23. the keys are not polled', async () => {
    await passMs(page, 60_000)
    expect(gateway.calls(listApiKeys)).toHaveLength(1)
  })
  await test.step('22. leaving the window and coming back causes no call', async () => {
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
})
