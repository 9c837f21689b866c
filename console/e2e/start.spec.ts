import { listClients, login } from 'schema'
import { settle } from './support/stub-gateway.ts'
import {
  expect,
  shellOf,
  signIn,
  signInScreenOf,
  storedKeys,
  test,
  toastOf,
} from './support/test.ts'

const SIGNED_IN = '**/assets/signed-in-*.js'

test('a console whose pieces cannot be fetched says so, and trying again loads it', async ({
  page,
  signedIn: _,
}) => {
  await page.route(SIGNED_IN, (route) => route.abort('connectionreset'))
  await page.goto('/')
  const note = page.getByRole('alert')
  await expect(note).toContainText('The console could not be loaded')
  await expect(note).toContainText('Check the connection')
  await page.unroute(SIGNED_IN)
  await note.getByRole('button', { name: 'Try again' }).click()
  await expect(shellOf(page)).toBeVisible()
})

test('while /config.json cannot be read no password and no token goes anywhere', async ({
  page,
  gateway,
  baseURL,
}) => {
  let failure: 'connectionreset' | 503 | undefined
  let reads = 0
  await page.route('**/config.json', (route) => {
    reads += 1
    if (failure === undefined) return route.fallback()
    return failure === 503 ? route.fulfill({ status: 503 }) : route.abort(failure)
  })
  const posts: string[] = []
  const tokens: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request.url())
    if (request.headers().authorization !== undefined) tokens.push(request.url())
  })
  for (const [name, how] of [
    ['without a response', 'connectionreset'],
    ['with a server error', 503],
  ] as const)
    await test.step(`a read that ends ${name} is tried again before the password is sent`, async () => {
      await page.evaluate(() => localStorage.clear())
      const logins = gateway.calls(login).length
      failure = how
      posts.length = 0
      reads = 0
      await page.goto('/')
      await signIn(page)
      await expect(toastOf(page)).toContainText('Login Failed')
      expect(posts).toEqual([])
      expect(reads).toBeGreaterThan(1)
      failure = undefined
      await signIn(page)
      await expect(shellOf(page)).toBeVisible()
      expect(gateway.calls(login)).toHaveLength(logins + 1)
      expect(posts.filter((url) => url.startsWith(baseURL ?? ''))).toEqual([])
    })
  await test.step('a stored token goes nowhere', async () => {
    await settle(page)
    failure = 503
    tokens.length = 0
    await page.goto('/')
    await expect(signInScreenOf(page)).toBeVisible()
    await expect(page.getByText('The gateway could not be reached')).toBeVisible()
    expect(tokens).toEqual([])
  })
})

test('a page that comes back from the cache of the browser is checked again', async ({
  page,
  gateway,
  signedIn,
}) => {
  const release = gateway.hold(listClients)
  await page.goto('/')
  await expect(page.getByRole('status', { name: 'Loading Sluice' })).toBeVisible()
  await expect.poll(() => gateway.calls(listClients).length).toBe(1)
  const pass = (name: string) =>
    page.evaluate((type) => {
      window.dispatchEvent(new PageTransitionEvent(type, { persisted: true }))
    }, name)
  await pass('pagehide')
  await pass('pageshow')
  release()
  await expect(shellOf(page)).toBeVisible()
  expect(gateway.calls(listClients)).toHaveLength(2)
  expect((await storedKeys(page)).authToken).toBe(signedIn.token)
  // Checked by now: coming back once more asks nothing.
  await pass('pagehide')
  await pass('pageshow')
  await page.reload()
  await expect(shellOf(page)).toBeVisible()
  expect(gateway.calls(listClients)).toHaveLength(3)
})
