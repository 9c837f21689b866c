import { chromium } from '@playwright/test'
import { createClient, getToken, login, mxSubmitOrder, saveApiKey } from 'schema'
import { callGateway, type Reached } from '../call-gateway.ts'
import { findBrowser, provideBrowser } from '../provide-tools.ts'
import type { Project } from './engine.ts'
import { type Check, expectThat, isHealthy, until } from './world.ts'

export interface Person {
  readonly email: string
  readonly password: string
}

/**
 * Signs in at the console as a person does. Returns the title of the page then.
 * @param tlsPort of a proxy on the loopback address, which gets every https request; its
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

const CLIENT = 'verify-images'

/** An order that rests on the paper exchange. */
export const ORDER = {
  symbol: 'BTC_USDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '0.01',
  price: '50000',
} as const

/** Makes a client with keys for MEXC; returns the client's token. */
export async function createClientWithKeys(
  gateway: Reached,
  admin: Person,
  keys: { readonly apiKey: string; readonly apiSecret: string },
): Promise<string> {
  const { token: asAdmin } = await callGateway(gateway, login, { body: admin })
  const { clientSecret } = await callGateway(gateway, createClient, {
    token: asAdmin,
    body: { clientId: CLIENT },
  })
  await callGateway(gateway, saveApiKey, {
    token: asAdmin,
    body: { clientId: CLIENT, exchange: 'mx', ...keys },
  })
  const { token } = await callGateway(gateway, getToken, {
    body: { clientId: CLIENT, clientSecret },
  })
  return token
}

/** A compose file, started for real; its checks are to be run in their order. */
export interface Installation {
  readonly project: Project
  readonly checks: readonly Check<void>[]
}

/** The script that makes the master key, as docs/install.md has it. */
export const MAKE_KEY =
  "fs.writeFileSync('/keys/master.key', crypto.randomBytes(32).toString('base64') + '\\n', { mode: 0o600, flag: 'wx' })"

/** Starts what does not run, and waits until these services are healthy. */
export async function startServices(
  project: Project,
  services: readonly string[],
): Promise<string> {
  const startedMs = performance.now()
  await project.compose('up', '-d')
  await untilHealthy(project, services)
  return `after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`
}

export async function untilHealthy(project: Project, services: readonly string[]): Promise<void> {
  for (const service of services) {
    const name = await project.container(service)
    await until(`${service} is healthy`, () => isHealthy(project, name))
  }
}

/** The proxy of the project, with the certificate of its own authority. */
export async function reachedThroughProxy({ compose }: Project, tlsPort: number): Promise<Reached> {
  const path = '/data/caddy/pki/authorities/local/root.crt'
  return {
    gatewayUrl: 'https://api.localhost',
    proxy: { certificate: await compose('exec', '-T', 'proxy', 'cat', path), port: tlsPort },
  }
}

/**
 * Makes a client, whose keys are those that the paper exchange wrote into its log.
 * @returns its token
 */
export async function createTrader(
  { compose }: Project,
  gateway: Reached,
  admin: Person,
): Promise<string> {
  const log = await compose('logs', 'paper-exchange')
  const [, apiKey = '', apiSecret = ''] = /demo-mexc: key (\w+), secret (\w+)/.exec(log) ?? []
  return createClientWithKeys(gateway, admin, { apiKey, apiSecret })
}

export async function placeOrder(gateway: Reached, token: string): Promise<string> {
  const { orderId } = await callGateway(gateway, mxSubmitOrder, { token, body: ORDER })
  return `order ${orderId}`
}

/** The last line of `npm run doctor`. */
export const doctorsSum = (output: string): string => output.match(/\d+ ok, .*/)?.[0] ?? output
