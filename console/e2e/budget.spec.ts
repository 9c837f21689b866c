import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page, Route } from '@playwright/test'
import { getOrderLife } from 'schema'
import { lifeOf, orderOf } from './support/order-samples.ts'
import { settle } from './support/stub-gateway.ts'
import { expect, signInScreenOf, test } from './support/test.ts'

const dist = process.env.CONSOLE_DIST ?? ''

/** Compressed size of built files, in bytes. */
async function gzipped(paths: readonly string[]): Promise<number> {
  const sizes = paths.map(async (path) => {
    const content = await readFile(join(dist, path))
    return gzipSync(content, { level: 9 }).length
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Every page that differs in the pieces that it needs. */
const PAGES = [
  '/',
  '/client-credentials',
  '/client-credentials/7',
  '/api-keys',
  '/logs',
  '/operations',
  '/audit',
  '/account',
  '/people',
  '/approvals',
  '/orders',
  `/orders/${orderOf().id}`,
  '/connect',
  '/streams',
  '/bitget/trading/spot',
]

/** So many rounds without a request, and a level is whole. */
const CALM_ROUNDS = 6

/**
 * The scripts that a page needs for its heading, by level: those of the document, those that it
 * takes when these have run, and so on. Each level is held until all of it has been asked for.
 */
async function levelsOf(page: Page, address: string): Promise<readonly string[][]> {
  const levels: string[][] = []
  let held: Route[] = []
  // The code of the toasts is let through: every page loads it 3 s after its shell.
  const scripts = /\/(?!toast-stack)[^/]*\.js$/
  await page.route(scripts, (route) => void held.push(route))
  // A request of the page arrives here after those that it made before.
  await page.route('**/everything-was-asked-for', (route) => route.fulfill({ status: 204 }))
  await page.goto(address, { waitUntil: 'commit' })
  const heading = page.getByRole('heading', { level: 1 })
  for (;;) {
    // Requests come in the order of their urgency, the last of a level some rounds after the first.
    for (let calm = 0; calm < CALM_ROUNDS; calm += 1) {
      const asked = held.length
      // The page has nothing left to do, and what it asked for has left it.
      await page.evaluate(() => scheduler.postTask(() => undefined, { priority: 'background' }))
      await settle(page)
      await page.evaluate(() => fetch('/everything-was-asked-for').then(() => undefined))
      if (asked !== held.length) calm = -1
    }
    if (await heading.isVisible()) break
    const level = held
    held = []
    if (level.length > 0) levels.push(level.map((route) => route.request().url()))
    await Promise.all(level.map((route) => route.continue()))
  }
  // What the page asked for beyond its heading does not hold up the next page.
  await page.unroute(scripts)
  await Promise.all(held.map((route) => route.continue()))
  return levels
}

const scriptsOf = (requests: readonly string[]) =>
  requests.map((url) => new URL(url).pathname).filter((path) => path.endsWith('.js'))

test.describe('sizes', () => {
  test('336. what the sign-in screen needs is at most 110 kB of script and 20 kB of style', async ({
    page,
  }) => {
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.goto('/')
    await expect(signInScreenOf(page)).toBeVisible()
    expect(await gzipped(scriptsOf(requests))).toBeLessThanOrEqual(110_000)
    const styles = (await readdir(join(dist, 'assets'))).filter((name) => name.endsWith('.css'))
    expect(await gzipped(styles.map((name) => `assets/${name}`))).toBeLessThanOrEqual(20_000)
  })

  test('337. signed in, each page needs at most 220 kB of script, in two levels', async ({
    page,
    gateway,
    signedIn: _,
  }) => {
    gateway.respond(getOrderLife, { body: lifeOf() })
    for (const address of PAGES)
      await test.step(`337. ${address}`, async () => {
        const levels = await levelsOf(page, address)
        expect.soft(levels.length, JSON.stringify(levels)).toBe(2)
        expect.soft(await gzipped(scriptsOf(levels.flat())), address).toBeLessThanOrEqual(220_000)
      })
  })

  test('no script is smaller than 1 kB: a request costs more', async () => {
    const names = (await readdir(join(dist, 'assets'))).filter((name) => name.endsWith('.js'))
    const sizes = names.map(async (name) => [name, (await stat(join(dist, 'assets', name))).size])
    expect((await Promise.all(sizes)).filter(([, size]) => Number(size) < 1_000)).toEqual([])
  })

  test('337. no later piece is above 60 kB', async () => {
    const pieces = (await readdir(join(dist, 'assets'))).filter(
      (name) => name.endsWith('.js') && !name.startsWith('index-'),
    )
    for (const piece of pieces) {
      expect(await gzipped([`assets/${piece}`]), piece).toBeLessThanOrEqual(60_000)
    }
  })
})
