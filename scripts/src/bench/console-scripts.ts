import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BrowserContext } from '@playwright/test'

/** Compressed bytes of the scripts that a page asks for until it shows its heading. */
export async function scriptSize(
  browser: BrowserContext,
  dist: string,
  url: string,
): Promise<number> {
  const page = await browser.newPage()
  const paths = new Set<string>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js')) paths.add(pathname)
  })
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.close()
  return [...paths]
    .map((path) => gzipSync(readFileSync(join(dist, path)), { level: 9 }).length)
    .reduce((sum, size) => sum + size, 0)
}
