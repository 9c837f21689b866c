import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
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

const scriptsOf = (requests: readonly string[]) =>
  requests.map((url) => new URL(url).pathname).filter((path) => path.endsWith('.js'))

test.describe('sizes', { tag: '@wide' }, () => {
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

  for (const address of [
    '/',
    '/client-credentials',
    '/client-credentials/7',
    '/api-keys',
    '/logs',
    '/operations',
    '/bitget/trading/spot',
  ]) {
    test(`337. signed in, ${address} needs at most 230 kB of script`, async ({
      page,
      signedIn: _,
    }) => {
      const requests: string[] = []
      page.on('request', (request) => requests.push(request.url()))
      await page.goto(address)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      expect(await gzipped(scriptsOf(requests))).toBeLessThanOrEqual(230_000)
    })
  }

  test('337. no later piece is above 60 kB', async () => {
    const pieces = (await readdir(join(dist, 'assets'))).filter(
      (name) => name.endsWith('.js') && !name.startsWith('index-'),
    )
    for (const piece of pieces) {
      expect(await gzipped([`assets/${piece}`]), piece).toBeLessThanOrEqual(60_000)
    }
  })
})
