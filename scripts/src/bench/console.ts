import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type BrowserContext, chromium } from '@playwright/test'
import { createClient, login } from 'schema'
import { freePort } from '../../../gateway/test/support/free-port.ts'
import { buildConsole } from '../build.ts'
import { callGateway } from '../call-gateway.ts'
import { deployLocally, type LocalDeployment } from '../deploy-locally.ts'
import { findBrowser, provideBrowser } from '../provide-tools.ts'
import { type Bench, type Figure, median, toTable } from './figure.ts'
import { seedLog } from './seed-log.ts'

/** Names the screen of people who are not signed in. */
const SIGN_IN = 'sign-in'

/** One page of each kind, on a gateway with one client at least. */
async function pagesOf(
  gatewayUrl: string,
  admin: { readonly email: string; readonly password: string },
): Promise<readonly string[]> {
  const gateway = { gatewayUrl }
  const { token } = await callGateway(gateway, login, { body: admin })
  const body = { clientId: 'bench-of-the-console' }
  const { id } = await callGateway(gateway, createClient, { body, token })
  return [
    '/',
    '/client-credentials',
    `/client-credentials/${id}`,
    '/api-keys',
    '/logs',
    '/operations',
    '/orders',
    '/connect',
    '/mexc/trading/place-order',
    '/bitget/trading/spot',
  ]
}

const ADMIN = { email: 'admin@sluice.bench', password: 'bench-of-the-console' }
const ROWS = 25_000
const DAY_MS = 86_400_000
const AUDITS = 3

/** What every page has to keep, and the sign-in screen in place of the first. */
const BARS = { scriptKb: 220, signInKb: 110, performance: 0.9, blockedMs: 200, paintMs: 2500 }

/**
 * The console of a gateway with 25,000 rows in its log: the compressed scripts of each page, and
 * Lighthouse on a simulated phone.
 */
export const consoleBench: Bench = async ({ print, isShort }) => {
  await provideBrowser()
  await using closing = new AsyncDisposableStack()
  const dist = await buildConsole()
  const deployment = await deployLocally({
    dist,
    admin: ADMIN,
    ratePerSecond: 10,
    seed: (path) => seedLog(path, ROWS, { spanMs: DAY_MS }),
  })
  closing.defer(deployment.close)
  const profile = mkdtempSync(join(tmpdir(), 'sluice-browser-'))
  closing.defer(() => rmSync(profile, { recursive: true, force: true }))
  const port = await freePort()
  const executablePath = findBrowser()
  // Lighthouse opens its pages in the profile that is signed in here.
  const browser = await chromium.launchPersistentContext(profile, {
    ...(executablePath ? { executablePath } : {}),
    viewport: { width: 1280, height: 800 },
    args: [`--remote-debugging-port=${port}`],
  })
  closing.defer(() => browser.close())

  const pages = isShort ? [SIGN_IN] : [SIGN_IN, ...(await pagesOf(deployment.gatewayUrl, ADMIN))]
  const rows: PageResult[] = []
  for (const address of pages) {
    if (address !== SIGN_IN) await signIn(browser, deployment)
    const url = `${deployment.consoleUrl}${address === SIGN_IN ? '/' : address}`
    const scriptKb = (await scriptSize(browser, dist, url)) / 1000
    const audits: Audit[] = []
    for (let round = 0; round < (isShort ? 1 : AUDITS); round += 1)
      audits.push(await audit(url, port))
    rows.push({ address, scriptKb, ...medians(audits) })
    print(`${address}: measured`)
  }
  print(pageTable(rows))
  return figuresOf(rows)
}

interface PageResult extends Audit {
  readonly address: string
  readonly scriptKb: number
}

async function signIn(browser: BrowserContext, { gatewayUrl, consoleUrl }: LocalDeployment) {
  const { token, user } = await callGateway({ gatewayUrl }, login, { body: ADMIN })
  const page = await browser.newPage()
  await page.goto(consoleUrl)
  await page.evaluate(
    ([authToken, userText]) => {
      localStorage.setItem('authToken', authToken ?? '')
      localStorage.setItem('user', userText ?? '')
    },
    [token, JSON.stringify(user)],
  )
  await page.close()
}

const medians = (audits: readonly Audit[]): Audit =>
  Object.fromEntries(
    Object.keys(audits[0] ?? {}).map((field) => [
      field,
      median(audits.map((each) => each[field as keyof Audit])),
    ]),
  ) as unknown as Audit

function pageTable(rows: readonly PageResult[]): string {
  return toTable([
    ['page', 'script', 'performance', 'accessibility', 'best practices'].concat(
      'blocked',
      'largest paint',
      'shift',
    ),
    ...rows.map((row) => [
      row.address,
      `${row.scriptKb.toFixed(1)} kB`,
      row.performance.toFixed(2),
      row.accessibility.toFixed(2),
      row.bestPractices.toFixed(2),
      `${Math.round(row.blockedMs)} ms`,
      `${Math.round(row.paintMs)} ms`,
      row.shift.toFixed(3),
    ]),
  ])
}

/** Of each bar, the page that is farthest from it. */
function figuresOf(rows: readonly PageResult[]): readonly Figure[] {
  const signedIn = rows.filter(({ address }) => address !== SIGN_IN)
  const most = (name: string, unit: string, limit: number, values: readonly number[]): Figure[] => {
    if (values.length === 0) return []
    const value = Math.max(...values)
    return [{ name, unit, better: 'lower', value, bar: { limit, reached: value } }]
  }
  const least = (name: string, limit: number, values: readonly number[]): Figure => {
    const value = Math.min(...values)
    return { name, unit: '', better: 'higher', value, bar: { limit, reached: value } }
  }
  const all = (field: keyof Audit) => rows.map((row) => row[field])
  const scripts = signedIn.map(({ scriptKb }) => scriptKb)
  return [
    ...most('Script of the sign-in screen', 'kB', BARS.signInKb, [rows[0]?.scriptKb ?? Number.NaN]),
    ...most('Script of the largest page', 'kB', BARS.scriptKb, scripts),
    least('Lighthouse: performance', BARS.performance, all('performance')),
    least('Lighthouse: accessibility', 1, all('accessibility')),
    least('Lighthouse: best practices', 1, all('bestPractices')),
    ...most('Blocked time', 'ms', BARS.blockedMs, all('blockedMs')),
    ...most('Largest paint', 'ms', BARS.paintMs, all('paintMs')),
  ]
}

const PACKAGE = 'lighthouse@13.5.0'
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const CATEGORIES = 'performance,accessibility,best-practices'

/** What Lighthouse says of a page: scores from 0 to 1, and times on a simulated phone. */
interface Audit {
  readonly performance: number
  readonly accessibility: number
  readonly bestPractices: number
  readonly blockedMs: number
  readonly paintMs: number
  readonly shift: number
}

/**
 * Audits a page as a phone on a slow network, in a browser that runs. npm fetches Lighthouse the
 * first time: it is too large (176 MB) to be installed for everybody.
 * @param port where the browser takes commands
 */
async function audit(url: string, port: number): Promise<Audit> {
  const { stdout } = await promisify(execFile)(
    'npm',
    [
      ...['exec', '--yes', `--package=${PACKAGE}`, '--', 'lighthouse', url, `--port=${port}`],
      ...['--output=json', '--quiet', '--disable-storage-reset', '--disable-full-page-screenshot'],
      ...[`--only-categories=${CATEGORIES}`, '--throttling-method=simulate'],
    ],
    { maxBuffer: OUTPUT_BYTES_MAX },
  )
  const { categories, audits, runtimeError } = JSON.parse(stdout)
  if (runtimeError !== undefined) throw new Error(`Lighthouse at ${url}: ${runtimeError.message}`)
  return {
    performance: categories.performance.score,
    accessibility: categories.accessibility.score,
    bestPractices: categories['best-practices'].score,
    blockedMs: audits['total-blocking-time'].numericValue,
    paintMs: audits['largest-contentful-paint'].numericValue,
    shift: audits['cumulative-layout-shift'].numericValue,
  }
}

/** Compressed bytes of the scripts that a page asks for until it shows its heading. */
async function scriptSize(browser: BrowserContext, dist: string, url: string): Promise<number> {
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
