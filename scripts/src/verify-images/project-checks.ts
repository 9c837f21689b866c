import { appendFileSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { mxSubmitOrder } from 'schema'
import { freePort } from '../free-port.ts'
import { ask } from './ask.ts'
import { callGateway, type Reached } from './call-gateway.ts'
import { type Check, expectThat, isHealthy, until } from './check.ts'
import { type ComposeCommand, createProject, type Project } from './compose.ts'
import { createClientWithKeys, ORDER } from './create-client.ts'
import type { Engine } from './engine.ts'
import { type Person, signIn } from './sign-in.ts'

/** A compose file, started for real; its checks are to be run in their order. */
export interface Installation {
  readonly project: Project
  readonly checks: readonly Check<void>[]
}

/** compose.demo.yaml, as its head comment describes. */
export async function createDemo(
  engine: Engine,
  command: ComposeCommand,
  password: string,
): Promise<Installation> {
  const [gatewayPort, consolePort] = await Promise.all([freePort(), freePort()])
  const project = createProject(engine, command, ['compose.demo.yaml'], {
    ADMIN_PASSWORD: password,
    GATEWAY_PORT: `${gatewayPort}`,
    CONSOLE_PORT: `${consolePort}`,
  })
  const gateway = { gatewayUrl: `http://localhost:${gatewayPort}` }
  const admin = { email: 'admin@sluice.demo', password }
  return {
    project,
    checks: [
      {
        promise: 'compose.demo.yaml: starts, and each container is healthy',
        run: async () => start(project, ['gateway', 'paper-exchange', 'console']),
      },
      {
        promise: 'compose.demo.yaml: an order passes with the keys from the log',
        run: async () => placeOrder(project, gateway, admin),
      },
      {
        promise: 'compose.demo.yaml: the console loads in a browser and signs in',
        run: async () => signIn(`http://localhost:${consolePort}`, admin),
      },
    ],
  }
}

const BACKUP = '/data/before-upgrade.db'
const MAKE_KEY =
  "fs.writeFileSync('/keys/master.key', crypto.randomBytes(32).toString('base64') + '\\n', { mode: 0o600, flag: 'wx' })"

/** compose.yaml on localhost with the paper exchange, as docs/operations/install.md describes. */
export async function createInstallation(
  engine: Engine,
  command: ComposeCommand,
  password: string,
): Promise<Installation> {
  const [httpPort, tlsPort] = await Promise.all([freePort(), freePort()])
  const files = ['compose.yaml', 'compose.paper.yaml']
  const project = createProject(engine, command, files, {
    HTTP_PORT: `${httpPort}`,
    HTTPS_PORT: `${tlsPort}`,
  })
  const { folder, compose } = project
  const services = ['gateway', 'paper-exchange', 'console', 'proxy']
  const admin = { email: 'you@example.com', password }
  const npmRun = (...args: string[]) => compose('exec', '-T', 'gateway', 'npm', 'run', ...args)
  const certificate = () =>
    compose('exec', '-T', 'proxy', 'cat', '/data/caddy/pki/authorities/local/root.crt')
  const reached = async (): Promise<Reached> => ({
    gatewayUrl: 'https://api.localhost',
    proxy: { certificate: await certificate(), port: tlsPort },
  })

  return {
    project,
    checks: [
      {
        promise: 'compose.yaml: starts as install.md describes, and each container is healthy',
        run: async () => {
          copyFileSync(join(folder, '.env.example'), join(folder, '.env'))
          appendFileSync(join(folder, '.env'), 'DOMAIN=localhost\n')
          await compose('run', '--rm', '--no-deps', 'gateway', 'node', '-e', MAKE_KEY)
          const found = await start(project, services)
          await npmRun('admin', '--', 'create', '--email', admin.email, '--password', password)
          return found
        },
      },
      {
        promise: 'compose.yaml: an order passes through the proxy, its certificate checked',
        run: async () => placeOrder(project, await reached(), admin),
      },
      {
        promise: 'compose.yaml: the proxy passes no metrics on, and sends plain HTTP away',
        run: async () => {
          const { gatewayUrl, proxy } = await reached()
          const metrics = await ask(`${gatewayUrl}/metrics`, { proxy })
          expectThat(metrics.status === 404, `the metrics respond with ${metrics.status}`)
          const plain = await ask(`http://127.0.0.1:${httpPort}/`, {
            headers: { host: 'api.localhost' },
          })
          const { location } = plain.headers
          expectThat(location === `${gatewayUrl}/`, `plain HTTP is sent to ${location}`)
          return ''
        },
      },
      {
        promise: 'compose.yaml: https://console.localhost loads in a browser and signs in',
        run: async () => signIn('https://console.localhost', admin, tlsPort),
      },
      {
        promise: 'compose.yaml: npm run admin -- list, in the container',
        run: async () => {
          const output = await npmRun('admin', '--', 'list')
          expectThat(output.includes(admin.email), `it prints ${output}`)
          return ''
        },
      },
      {
        promise:
          'compose.yaml: npm run rotate-key, in the container, with the key on its own volume',
        run: async () => (await npmRun('rotate-key')).match(/^Verified: .*? open/m)?.[0] ?? '',
      },
      {
        promise: 'compose.yaml: npm run doctor finds nothing wrong, in the container',
        run: async () => doctorsSum(await npmRun('doctor')),
      },
      {
        promise: 'compose.yaml: a backup, and back to it, as install.md describes',
        run: async () => {
          await npmRun('backup', '--', BACKUP)
          await compose('stop', 'gateway')
          const operate = ['run', '--rm', '--no-deps', 'gateway', 'npm', 'run']
          await compose(...operate, 'restore', '--', BACKUP, '--replace')
          const found = await start(project, services)
          await signIn('https://console.localhost', admin, tlsPort)
          return found
        },
      },
    ],
  }
}

async function start(project: Project, services: readonly string[]): Promise<string> {
  const startedMs = performance.now()
  await project.compose('up', '-d')
  for (const service of services) {
    const name = await project.container(service)
    await until(`${service} is healthy`, () => isHealthy(project, name))
  }
  return `after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`
}

/** An order of a new client, whose keys are those that the paper exchange wrote into its log. */
async function placeOrder(project: Project, gateway: Reached, admin: Person): Promise<string> {
  const log = await project.compose('logs', 'paper-exchange')
  const [, apiKey = '', apiSecret = ''] = /demo-mexc: key (\w+), secret (\w+)/.exec(log) ?? []
  const token = await createClientWithKeys(gateway, admin, { apiKey, apiSecret })
  const { orderId } = await callGateway(gateway, mxSubmitOrder, { token, body: ORDER })
  return `order ${orderId}`
}

const doctorsSum = (output: string) => output.match(/\d+ ok, .*/)?.[0] ?? output
