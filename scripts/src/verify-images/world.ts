import { randomBytes } from 'node:crypto'
import { chromium } from '@playwright/test'
import { createClient, getToken, login, mxSubmitOrder, saveApiKey } from 'schema'
import { freePort } from '../../../gateway/test/support/free-port.ts'
import { callGateway, type Reached } from '../call-gateway.ts'
import { findBrowser, provideBrowser } from '../provide-tools.ts'
import { type Engine, IMAGES, type Project } from './engine.ts'

/** One thing that has to hold of the running images. */
export interface Check<Of = World> {
  readonly promise: string
  /** What was found, for the table. @throws when the promise is broken */
  readonly run: (world: Of) => Promise<string>
}

/** @throws with the sentence when it does not hold */
export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}

/** Asks again and again, four times a second. @throws when the check still fails after 60 s */
export async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  const endsMs = performance.now() + 60_000
  while (!(await ask())) {
    if (performance.now() > endsMs) throw new Error(`Not within 60 s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/**
 * Whether a container's own health check passes now. docker runs it by itself, podman when it is
 * asked.
 */
export async function isHealthy({ engine }: Pick<World, 'engine'>, name: string): Promise<boolean> {
  try {
    if (engine.name === 'podman') {
      await engine.run('healthcheck', 'run', name)
      return true
    }
    return (await engine.run('inspect', '--format', '{{.State.Health.Status}}', name)) === 'healthy'
  } catch {
    return false // Not yet; the caller gives up in time.
  }
}

/** Ends a container by its stop signal. Returns its exit code and how long it took. */
export async function stop({ engine }: World, name: string) {
  const startedMs = performance.now()
  await engine.run('stop', '--time', '45', name)
  const exitCode = Number(await engine.run('inspect', '--format', '{{.State.ExitCode}}', name))
  return { exitCode, seconds: ((performance.now() - startedMs) / 1000).toFixed(1) }
}

/** Gateway, console and paper exchange in containers of their own. The caller closes it. */
export interface World {
  readonly engine: Engine
  readonly names: Readonly<Record<'gateway' | 'paper' | 'console', string>>
  readonly gatewayUrl: string
  readonly consoleUrl: string
  /** Starts the gateway, and beside it the paper exchange, which shares its network. */
  readonly startGateway: () => Promise<void>
  readonly removeGateway: () => Promise<void>
  /** An operator's command on the gateway's volume, in a container of its own. */
  readonly operate: (command: string, ...args: string[]) => Promise<string>
  /** Calls the paper exchange's control interface, which only the gateway's container reaches. */
  readonly paper: (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<string>
  readonly close: () => Promise<void>
}

// As in the compose files.
const HARDENED = [
  ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL'],
  ...['--security-opt', 'no-new-privileges', '--memory', '512m'],
]
const PAPER_URL = 'http://127.0.0.1:8082'

/** Starts all three on free ports of the loopback address. */
export async function startWorld(engine: Engine): Promise<World> {
  const id = `sluice-verify-${randomBytes(4).toString('hex')}`
  const names = { gateway: `${id}-gateway`, paper: `${id}-paper`, console: `${id}-console` }
  // Each gets the other's address before it starts.
  const [gatewayPort, consolePort] = await Promise.all([freePort(), freePort()])
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}`
  const consoleUrl = `http://127.0.0.1:${consolePort}`
  const running: string[] = []
  const start = async (name: string, args: readonly string[]) => {
    await engine.run('run', '--detach', '--name', name, ...HARDENED, ...args)
    running.push(name)
  }
  // Last first: the paper exchange lives in the gateway's network.
  const remove = async (...containers: string[]) => {
    for (const name of running.filter((one) => containers.includes(one)).toReversed()) {
      await engine.run('rm', '--force', '--volumes', name)
      running.splice(running.indexOf(name), 1)
    }
  }

  const startGateway = async () => {
    await start(names.gateway, [
      ...['--publish', `127.0.0.1:${gatewayPort}:8080`, '--volume', `${id}:/data`],
      ...environment({
        CONSOLE_ORIGIN: consoleUrl,
        MEXC_SPOT_URL: PAPER_URL,
        MEXC_FUTURES_URL: PAPER_URL,
        BITGET_URL: PAPER_URL,
      }),
      IMAGES.gateway.tag,
    ])
    await start(names.paper, [
      ...['--network', `container:${names.gateway}`],
      ...environment({ HOST: '127.0.0.1', PORT: '8082' }),
      IMAGES.paper.tag,
    ])
  }
  const close = async () => {
    await remove(...running)
    await engine.run('volume', 'rm', '--force', id)
  }

  try {
    await startGateway()
    await start(names.console, [
      ...['--publish', `127.0.0.1:${consolePort}:8080`],
      ...environment({ GATEWAY_URL: gatewayUrl }),
      IMAGES.console.tag,
    ])
  } catch (error) {
    await close()
    throw error
  }
  return {
    engine,
    names,
    gatewayUrl,
    consoleUrl,
    startGateway,
    removeGateway: () => remove(names.gateway, names.paper),
    operate: (command, ...args) =>
      engine.run(
        ...['run', '--rm', ...HARDENED, '--volume', `${id}:/data`, IMAGES.gateway.tag],
        ...['npm', 'run', command, ...args],
      ),
    paper: (method, path, body) =>
      engine.run('exec', names.paper, 'node', '-e', CALL, method, PAPER_URL + path, toText(body)),
    close,
  }
}

const CALL = `const [, method, url, body] = process.argv
const headers = { 'content-type': 'application/json' }
fetch(url, { method, ...(body ? { body, headers } : {}) }).then(async (response) => {
  process.stdout.write(await response.text())
  if (!response.ok) process.exit(1)
})`

const toText = (body: unknown) => (body === undefined ? '' : JSON.stringify(body))

function environment(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--env', `${name}=${value}`])
}

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
