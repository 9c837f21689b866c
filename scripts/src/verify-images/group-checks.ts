import { randomBytes } from 'node:crypto'
import { appendFileSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXCHANGES, getOperations, listNodes, login, mxSubmitOrder, resumeEverything } from 'schema'
import { freePort } from '../../../gateway/test/support/free-port.ts'
import { ask, callGateway, type Reached } from '../call-gateway.ts'
import { type ComposeCommand, createProject, type Engine, type Project } from './engine.ts'
import {
  type Check,
  createTrader,
  doctorsSum,
  expectThat,
  type Installation,
  MAKE_KEY,
  ORDER,
  type Person,
  placeOrder,
  reachedThroughProxy,
  signIn,
  startServices,
  until,
  untilHealthy,
} from './world.ts'

const FILES = ['compose.ha.yaml', 'compose.ha.paper.yaml'] as const
const GATEWAYS = ['gateway-1', 'gateway-2'] as const
type GatewayName = (typeof GATEWAYS)[number]
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
      await callGateway(gateway, resumeEverything, { token })
      await placeOrder(gateway, trader.token)
      return found
    },
  }
}

const LIST_ORDERS =
  "fetch('http://127.0.0.1:8082/paper/orders?exchange=mx').then(async (r) => console.log(await r.text()))"

/** What an operator sees of the gateways of compose.ha.yaml. */
interface Group {
  readonly reached: () => Promise<Reached>
  readonly asAdmin: () => Promise<{ readonly gateway: Reached; readonly token: string }>
  /** @throws unless one gateway is the owner and the other one the standby */
  readonly roles: () => Promise<{ readonly owner: GatewayName; readonly standby: GatewayName }>
  readonly untilOwner: (name: GatewayName) => Promise<void>
  /** How many exchanges are stopped. */
  readonly stoppedExchanges: () => Promise<number>
  /** @throws unless each order that a bot got during the work is at the exchange, once */
  readonly whileTrading: (token: string, work: () => Promise<void>) => Promise<string>
}

function createGroup(project: Project, tlsPort: number, admin: Person): Group {
  const reached = () => reachedThroughProxy(project, tlsPort)

  async function asAdmin() {
    const gateway = await reached()
    return { gateway, token: (await callGateway(gateway, login, { body: admin })).token }
  }

  async function ownerAmong() {
    const { gateway, token } = await asAdmin()
    const { nodes } = await callGateway(gateway, listNodes, { token })
    const url = nodes.find(({ isOwner }) => isOwner)?.url ?? ''
    return { owner: GATEWAYS.find((name) => url.includes(name)), nodes }
  }

  async function ordersAtExchange(): Promise<number> {
    const list = ['exec', '-T', 'paper-exchange', 'node', '-e', LIST_ORDERS]
    return JSON.parse(await project.compose(...list)).length
  }

  return {
    reached,
    asAdmin,
    async roles() {
      const { owner, nodes } = await ownerAmong()
      const standby = GATEWAYS.find((name) => name !== owner)
      expectThat(owner !== undefined && standby !== undefined, 'no gateway is the owner')
      expectThat(nodes.length === GATEWAYS.length, `there are ${nodes.length} nodes`)
      return { owner, standby }
    },
    untilOwner: (name) =>
      until(`${name} is the owner`, async () => (await ownerAmong()).owner === name),
    async stoppedExchanges() {
      const { gateway, token } = await asAdmin()
      const now = await callGateway(gateway, getOperations, { token })
      return now.exchanges.filter(({ state }) => state === 'stopped').length
    },
    async whileTrading(token, work) {
      const before = await ordersAtExchange()
      const bot = startGroupBot(await reached(), token)
      await bot.trades(2)
      await work()
      await bot.trades(2)
      const placed = await bot.stop()
      const found = (await ordersAtExchange()) - before
      expectThat(found === placed, `the bot has ${placed} orders, and the exchange ${found}`)
      return `${placed} orders, each once`
    },
  }
}

const PAUSE_MS = 700
/** An order that the owner had marked as sent when it was killed stays unknown for a minute. */
const PATIENCE_MS = 120_000

interface GroupBot {
  /** Waits until it has this many new orders. */
  readonly trades: (count: number) => Promise<void>
  /** @returns how many orders it has. @throws when it could not learn what became of one */
  readonly stop: () => Promise<number>
}

/**
 * Places orders through the proxy, one after the other and each with a key of its own, and tries
 * again until it has an order or knows that it was not placed.
 */
function startGroupBot({ gatewayUrl, proxy }: Reached, token: string): GroupBot {
  const name = crypto.randomUUID()
  let placed = 0
  let isStopped = false

  async function tryOnce(key: string): Promise<'placed' | 'not placed' | undefined> {
    try {
      const { status, text } = await ask(gatewayUrl + mxSubmitOrder.path, {
        method: mxSubmitOrder.method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(ORDER),
        proxy,
      })
      if (status === 200) return 'placed'
      return text.includes('"outcome":"not-done"') ? 'not placed' : undefined
    } catch {
      return undefined // The connection broke: the same key again.
    }
  }

  async function place(key: string): Promise<void> {
    const endsMs = performance.now() + PATIENCE_MS
    for (;;) {
      const outcome = await tryOnce(key)
      if (outcome === 'placed') placed += 1
      if (outcome !== undefined) return
      expectThat(performance.now() < endsMs, `nobody says what became of the order ${key}`)
      await pause(200)
    }
  }

  const running = (async () => {
    for (let number = 0; !isStopped; number += 1) {
      await place(`${name}-${number}`)
      await pause(PAUSE_MS)
    }
  })()

  return {
    async trades(count) {
      const wanted = placed + count
      while (placed < wanted) await Promise.race([pause(100), running])
    },
    async stop() {
      isStopped = true
      await running
      return placed
    },
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
