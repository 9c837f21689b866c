import { appendFileSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../gateway/test/support/free-port.ts'
import { ask } from '../call-gateway.ts'
import { type ComposeCommand, createProject, type Engine } from './engine.ts'
import {
  createTrader,
  doctorsSum,
  type Installation,
  MAKE_KEY,
  placeOrder,
  reachedThroughProxy,
  signIn,
  startServices,
} from './use.ts'
import { expectThat } from './world.ts'

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
        run: async () => startServices(project, ['gateway', 'paper-exchange', 'console']),
      },
      {
        promise: 'compose.demo.yaml: an order passes with the keys from the log',
        run: async () => placeOrder(gateway, await createTrader(project, gateway, admin)),
      },
      {
        promise: 'compose.demo.yaml: the console loads in a browser and signs in',
        run: async () => signIn(`http://localhost:${consolePort}`, admin),
      },
    ],
  }
}

const BACKUP = '/data/before-upgrade.db'

/** compose.yaml on localhost with the paper exchange, as docs/install.md describes. */
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
  const services = ['gateway', 'paper-exchange', 'console', 'proxy', 'backup']
  const admin = { email: 'you@example.com', password }
  const npmRun = (...args: string[]) => compose('exec', '-T', 'gateway', 'npm', 'run', ...args)
  const reached = () => reachedThroughProxy(project, tlsPort)

  return {
    project,
    checks: [
      {
        promise: 'compose.yaml: starts as docs/install.md describes, and each container is healthy',
        run: async () => {
          copyFileSync(join(folder, '.env.example'), join(folder, '.env'))
          appendFileSync(join(folder, '.env'), 'DOMAIN=localhost\n')
          await compose('run', '--rm', '--no-deps', 'gateway', 'node', '-e', MAKE_KEY)
          const found = await startServices(project, services)
          await npmRun('admin', '--', 'create', '--email', admin.email, '--password', password)
          return found
        },
      },
      {
        promise: 'compose.yaml: an order passes through the proxy, its certificate checked',
        run: async () => {
          const gateway = await reached()
          return placeOrder(gateway, await createTrader(project, gateway, admin))
        },
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
        promise: 'compose.yaml: a backup, and back to it, as containers.md describes',
        run: async () => {
          await npmRun('backup', '--', BACKUP)
          await compose('stop', 'gateway', 'backup')
          const operate = ['run', '--rm', '--no-deps', 'gateway', 'npm', 'run']
          await compose(...operate, 'restore', '--', BACKUP, '--replace')
          const found = await startServices(project, services)
          await signIn('https://console.localhost', admin, tlsPort)
          return found
        },
      },
    ],
  }
}
