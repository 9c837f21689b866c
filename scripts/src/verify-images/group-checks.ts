import { randomBytes } from 'node:crypto'
import { appendFileSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXCHANGES, resumeEverything } from 'schema'
import { freePort } from '../../../gateway/test/support/free-port.ts'
import { callGateway } from './call-gateway.ts'
import { type Check, expectThat } from './check.ts'
import { type ComposeCommand, createProject, type Project } from './compose.ts'
import type { Engine } from './engine.ts'
import { createGroup, GATEWAYS, type Group } from './group.ts'
import { signIn } from './sign-in.ts'
import {
  createTrader,
  doctorsSum,
  type Installation,
  MAKE_KEY,
  placeOrder,
  startServices,
  untilHealthy,
} from './use-project.ts'

const FILES = ['compose.ha.yaml', 'compose.ha.paper.yaml'] as const
const SERVICES = [
  ...GATEWAYS,
  ...(['postgres', 'paper-exchange', 'console', 'proxy', 'backup'] as const),
] as const

/**
 * compose.ha.yaml on localhost with the paper exchange, as docs/operations/high-availability.md
 * describes.
 */
export async function createGroupInstallation(
  engine: Engine,
  command: ComposeCommand,
  password: string,
): Promise<Installation> {
  const [httpPort, tlsPort] = await Promise.all([freePort(), freePort()])
  const project = createProject(engine, command, FILES, {
    HTTP_PORT: `${httpPort}`,
    HTTPS_PORT: `${tlsPort}`,
  })
  const admin = { email: 'you@example.com', password }
  const group = createGroup(project, tlsPort, admin)
  const trader = { token: '' }
  const npmRun = (...args: string[]) =>
    project.compose('exec', '-T', 'gateway-1', 'npm', 'run', ...args)
  return {
    project,
    checks: [
      {
        promise: 'compose.ha.yaml: starts as high-availability.md describes, each one healthy',
        run: async () => {
          makeEnv(project)
          await project.compose('run', '--rm', '--no-deps', 'gateway-1', 'node', '-e', MAKE_KEY)
          const found = await startServices(project, SERVICES)
          await npmRun('admin', '--', 'create', '--email', admin.email, '--password', password)
          return found
        },
      },
      {
        promise: 'compose.ha.yaml: an order passes through the proxy; each gateway is a node',
        run: async () => {
          const gateway = await group.reached()
          trader.token = await createTrader(project, gateway, admin)
          const found = await placeOrder(gateway, trader.token)
          await group.roles()
          return found
        },
      },
      {
        promise: 'compose.ha.yaml: https://console.localhost loads in a browser and signs in',
        run: async () => signIn('https://console.localhost', admin, tlsPort),
      },
      {
        promise: 'compose.ha.yaml: npm run doctor finds nothing wrong, in a container',
        run: async () => doctorsSum(await npmRun('doctor')),
      },
      ...drills(project, group, trader),
      restore(project, group, trader),
    ],
  }
}

function makeEnv({ folder }: Project): void {
  copyFileSync(join(folder, '.env.example'), join(folder, '.env'))
  const database = randomBytes(24).toString('hex')
  appendFileSync(join(folder, '.env'), `DOMAIN=localhost\nPOSTGRES_PASSWORD=${database}\n`)
}

/** While a bot trades. */
function drills(
  project: Project,
  group: Group,
  trader: { readonly token: string },
): readonly Check<void>[] {
  const { compose, engine } = project
  const idsOf = (services: readonly string[]) =>
    Promise.all(
      services.map(async (service) => {
        const name = await project.container(service)
        return engine.run('container', 'inspect', '--format', '{{.Id}}', name)
      }),
    )
  return [
    {
      promise: 'compose.ha.yaml: the owner is killed, and started again',
      run: () =>
        group.whileTrading(trader.token, async () => {
          const { owner, standby } = await group.roles()
          await engine.run('kill', await project.container(owner))
          await group.untilOwner(standby)
          await startServices(project, SERVICES)
        }),
    },
    {
      promise: 'compose.ha.yaml: a rolling upgrade; the next "up" leaves everything as it is',
      run: () =>
        group.whileTrading(trader.token, async () => {
          const { owner, standby } = await group.roles()
          for (const service of [standby, owner]) {
            await compose('up', '-d', '--force-recreate', service)
            await untilHealthy(project, [service])
          }
          await group.untilOwner(standby)
          const before = await idsOf(SERVICES)
          await compose('up', '-d')
          const after = await idsOf(SERVICES)
          const replaced = SERVICES.filter((_, at) => before[at] !== after[at])
          expectThat(replaced.length === 0, `"up" has replaced ${replaced.join(', ')}`)
        }),
    },
    {
      promise: 'compose.ha.yaml: PostgreSQL restarts',
      run: () =>
        group.whileTrading(trader.token, async () => {
          await compose('restart', 'postgres')
          await untilHealthy(project, SERVICES)
        }),
    },
  ]
}

function restore(project: Project, group: Group, trader: { readonly token: string }): Check<void> {
  const psql = (command: string, ...args: string[]) =>
    project.compose('exec', '-T', 'postgres', command, '-U', 'sluice', ...args)
  const dump = '/tmp/sluice.dump'
  return {
    promise: 'compose.ha.yaml: a dump, and back to it; both exchanges are stopped then',
    run: async () => {
      await psql('pg_dump', '-Fc', '-f', dump, 'sluice')
      await project.compose('stop', ...GATEWAYS, 'backup')
      await psql('createdb', '-T', 'template0', '-E', 'UTF8', 'restored')
      await psql('pg_restore', '--no-owner', '-d', 'restored', dump)
      for (const [from, to] of [
        ['sluice', 'sluice_before'],
        ['restored', 'sluice'],
      ])
        await psql('psql', '-d', 'postgres', '-c', `alter database ${from} rename to ${to}`)
      const found = await startServices(project, SERVICES)
      const stopped = await group.stoppedExchanges()
      expectThat(stopped === EXCHANGES.length, `${stopped} exchanges are stopped`)
      const { gateway, token } = await group.asAdmin()
      await callGateway(gateway, resumeEverything, { token, body: undefined })
      await placeOrder(gateway, trader.token)
      return found
    },
  }
}
