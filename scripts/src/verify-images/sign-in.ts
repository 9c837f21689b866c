import { chromium } from '@playwright/test'
import { findBrowser, provideBrowser } from '../find-browser.ts'
import { expectThat, until } from './check.ts'

export interface Person {
  readonly email: string
  readonly password: string
}

/**
 * Signs in at the console as a person does. Returns the title of the page then.
 * @param tlsPort of a proxy on the loopback address, which stands for every https address; its
 * certificate is not looked at
 * @throws when the browser complains, and when the console has another policy
 */
export async function signIn(
  consoleUrl: string,
  { email, password }: Person,
  tlsPort?: number,
): Promise<string> {
  await provideBrowser()
  const executablePath = findBrowser()
  await using browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: tlsPort === undefined ? [] : [`--host-resolver-rules=MAP *:443 127.0.0.1:${tlsPort}`],
  })
  const page = await browser.newPage({ ignoreHTTPSErrors: tlsPort !== undefined })
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))

  const response = await page.goto(consoleUrl)
  const policy = (await response?.allHeaders())?.['content-security-policy'] ?? ''
  expectThat(policy.includes("script-src 'self';"), `the policy is "${policy}"`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation').first().waitFor()
  await until('somebody is signed in', async () => !(await page.title()).startsWith('Sign in'))
  await page.waitForLoadState('networkidle')
  expectThat(complaints.length === 0, `the browser complains: ${complaints.join('; ')}`)
  return `"${await page.title()}"`
}
