import { listClients, login } from 'schema'
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

for (const [name, status] of [
  ['without a response', null],
  ['with a server error', 503],
] as const) {
  test(`a read of /config.json that ends ${name} is tried again before the password goes anywhere`, async ({
    page,
    gateway,
    baseURL,
  }) => {
    let reads = 0
    await page.route('**/config.json', (route) => {
      reads += 1
      return status === null ? route.abort('connectionreset') : route.fulfill({ status })
    })
    const posts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request.url())
    })
    await page.goto('/')
    await signIn(page)
    await expect(toastOf(page)).toContainText('Login Failed')
    expect(posts).toEqual([])
    expect(reads).toBeGreaterThan(1)
    await page.unroute('**/config.json')
    await signIn(page)
    await expect(shellOf(page)).toBeVisible()
    expect(gateway.calls(login)).toHaveLength(1)
    expect(posts.filter((url) => url.startsWith(baseURL ?? ''))).toEqual([])
  })
}

test('a stored token goes nowhere while the address of the gateway cannot be read', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  await page.route('**/config.json', (route) => route.fulfill({ status: 503 }))
  const tokens: string[] = []
  page.on('request', (request) => {
    if (request.headers().authorization !== undefined) tokens.push(request.url())
  })
  await page.goto('/')
  await expect(signInScreenOf(page)).toBeVisible()
  await expect(page.getByText('The gateway could not be reached')).toBeVisible()
  expect(tokens).toEqual([])
  expect(gateway.all()).toEqual([])
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
