import { randomBytes } from 'node:crypto'
import { appendFileSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../gateway/test/support/free-port.ts'
import { toTable } from './bench/figure.ts'
import { ask } from './call-gateway.ts'
import { type Call, command, type Io, runAsProcess } from './cli.ts'
import {
  containerChecks,
  contentChecks,
  createConsoleChecks,
  createTradingChecks,
} from './verify-images/container-checks.ts'
import {
  buildImage,
  type ComposeCommand,
  createProject,
  type Engine,
  findCompose,
  findEngine,
  IMAGES,
  type ImageName,
  pullBases,
} from './verify-images/engine.ts'
import { createGroupInstallation } from './verify-images/group-checks.ts'
import {
  type Check,
  createTrader,
  doctorsSum,
  expectThat,
  type Installation,
  MAKE_KEY,
  placeOrder,
  reachedThroughProxy,
  signIn,
  startServices,
  startWorld,
} from './verify-images/world.ts'

const USAGE = `Usage:
  npm run verify-images [-- --no-build]

Builds the images of gateway, paper exchange and console, runs them, and checks that they keep their promises. Then
starts compose.demo.yaml, and compose.yaml and compose.ha.yaml on localhost, and uses them as docs/operations describes. Uses
docker or podman, whichever responds, with docker compose or podman-compose.

  --no-build          check the images sluice-gateway, sluice-paper-exchange and sluice-console as they are
  IMAGE_BUILD_FLAGS   environment variable: more flags for the build command, separated by spaces, for example a
                      --volume with a certificate authority that npm must trust on this machine`

/** A row for each promise, and whether all of them are kept. */
interface Report {
  readonly rows: string[][]
  isKept: boolean
}

/** What the parts share. */
interface Verification extends Call {
  readonly engine: Engine
  readonly password: string
  readonly report: Report
}

export const run = command({
  usage: USAGE,
  options: { 'no-build': { type: 'boolean', default: false } },
  async run(values, _positionals, call) {
    const report: Report = { rows: [['promise', 'kept', 'found']], isKept: true }
    const password = randomBytes(12).toString('base64url')
    const verification = { ...call, engine: await findEngine(), password, report }
    if (!values['no-build']) await build(verification)
    try {
      await verifyImages(verification)
      await verifyComposeFiles(verification)
    } finally {
      call.console.log(`\n${toTable(report.rows)}\n`)
    }
    return report.isKept ? 0 : 1
  },
})

async function build({ engine, env, console, report }: Verification): Promise<void> {
  const given = (env.IMAGE_BUILD_FLAGS ?? '').split(' ').filter((flag) => flag !== '')
  const flags = [...(await pullBases(engine, (line) => console.log(line))), ...given]
  for (const name of Object.keys(IMAGES) as ImageName[]) {
    console.log(`Building ${IMAGES[name].tag} with ${engine.name} …`)
    const { seconds, megabytes } = await buildImage(engine, name, flags)
    report.rows.push([`${name}: builds`, 'yes', `${megabytes} MB, in ${seconds} s`])
  }
}

async function verifyImages(verification: Verification): Promise<void> {
  const { engine, password, io } = verification
  const world = await startWorld(engine)
  const checks = [
    ...containerChecks,
    ...contentChecks,
    ...createTradingChecks(password),
    ...createConsoleChecks(password),
  ]
  await closing(io, world, () => runAll(verification, checks, world))
}

async function verifyComposeFiles(verification: Verification): Promise<void> {
  const { engine, password, io } = verification
  const compose = await findCompose(engine)
  if (compose === undefined) {
    const what = engine.name === 'docker' ? 'docker compose' : 'podman-compose'
    skip(
      verification,
      'compose.demo.yaml, compose.yaml and compose.ha.yaml',
      `there is no ${what} on this machine`,
    )
    return
  }
  for (const open of [createDemo, createInstallation, createGroupInstallation]) {
    const { project, checks } = await open(engine, compose, password)
    await closing(io, project, () => runAll(verification, checks, undefined))
  }
}

function skip({ console, report }: Verification, promise: string, why: string): void {
  report.rows.push([promise, 'skipped', why])
  console.log(`${promise}: skipped, ${why}`)
}

async function runAll<Of>(
  { console, report }: Verification,
  checks: readonly Check<Of>[],
  world: Of,
): Promise<void> {
  for (const { promise, run: check } of checks) {
    try {
      report.rows.push([promise, 'yes', await check(world)])
    } catch (error) {
      report.isKept = false
      report.rows.push([promise, 'NO', error instanceof Error ? error.message : String(error)])
    }
    console.log(report.rows.at(-1)?.slice(0, 2).join(': '))
  }
}

/** Closes what is open after the work, also when Ctrl-C ends it. */
async function closing(
  { closeOnSignal }: Io,
  open: { close(): Promise<void> },
  work: () => Promise<void>,
): Promise<void> {
  const stopListening = closeOnSignal({ close: () => open.close(), withinMs: 60_000 })
  try {
    await work()
  } finally {
    stopListening()
    await open.close()
  }
}

/** compose.demo.yaml, as its head comment describes. */
async function createDemo(
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
async function createInstallation(
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

await runAsProcess(import.meta, run)
