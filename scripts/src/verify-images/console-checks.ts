import { chromium } from '@playwright/test'
import { findBrowser, provideBrowser } from '../find-browser.ts'
import { type Check, expectThat, stop } from './check.ts'
import type { World } from './open-world.ts'
import { ADMIN } from './trading-checks.ts'

/** The console as a browser meets it. The administrator has to be there. */
export function createConsoleChecks(password: string): readonly Check[] {
  return [
    {
      promise: 'console: a missing asset is a 404, an unknown page is the console',
      run: async ({ consoleUrl }) => {
        const missing = await fetch(`${consoleUrl}/assets/index-gone.js`)
        expectThat(missing.status === 404, `the asset answers ${missing.status}`)
        expectThat(missing.headers.get('cache-control') === 'no-store', 'the 404 may be cached')
        const page = await fetch(`${consoleUrl}/a/page`)
        expectThat((await page.text()).includes('<div id="root">'), 'the page is another one')
        return ''
      },
    },
    {
      promise: 'console: assets come compressed and are kept for a year',
      run: async ({ consoleUrl }) => {
        const start = await (await fetch(consoleUrl)).text()
        const [script = ''] = start.match(/\/assets\/index-[^"]+\.js/) ?? []
        const headers = { 'accept-encoding': 'gzip' }
        const { headers: found } = await fetch(consoleUrl + script, { headers })
        expectThat(found.get('content-encoding') === 'gzip', 'it is not compressed')
        const caching = found.get('cache-control') ?? ''
        expectThat(caching.includes('immutable'), `Cache-Control is ${caching}`)
        return ''
      },
    },
    {
      promise: 'console: loads in a browser under its policy and signs in',
      run: async (world) => signIn(world, password),
    },
    {
      promise: 'console: stops when it is told',
      run: async (world) => {
        const { exitCode, seconds } = await stop(world, world.names.console)
        expectThat(exitCode === 0, `it ended with exit code ${exitCode}`)
        return `in ${seconds} s`
      },
    },
  ]
}

async function signIn({ consoleUrl }: World, password: string): Promise<string> {
  provideBrowser()
  const executablePath = findBrowser()
  await using browser = await chromium.launch(executablePath ? { executablePath } : {})
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))

  const answer = await page.goto(consoleUrl)
  const policy = (await answer?.allHeaders())?.['content-security-policy'] ?? ''
  expectThat(policy.includes("script-src 'self';"), `the policy is "${policy}"`)
  await page.getByLabel('Email').fill(ADMIN)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation').first().waitFor()
  await page.waitForLoadState('networkidle')
  expectThat(complaints.length === 0, `the browser complains: ${complaints.join('; ')}`)
  return `"${await page.title()}"`
}
