import { login, mxSubmitOrder } from 'schema'
import { callGateway } from '../call-gateway.ts'
import type { Engine } from './engine.ts'
import {
  type Check,
  createClientWithKeys,
  expectThat,
  isHealthy,
  ORDER,
  signIn,
  stop,
  until,
  type World,
} from './world.ts'

/** What holds of each container before anybody uses it. */
export const containerChecks: readonly Check[] = (['gateway', 'paper', 'console'] as const).flatMap(
  (part) => [
    {
      promise: `${part}: healthy`,
      run: async (world: World) => {
        const startedMs = performance.now()
        await until(`the ${part} is healthy`, () => isHealthy(world, world.names[part]))
        return `after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`
      },
    },
    {
      promise: `${part}: runs as non-root, without capabilities`,
      run: async ({ engine, names }: World) => {
        const status = await engine.run('exec', names[part], 'cat', '/proc/1/status')
        const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1]
        const capabilities = /^CapEff:\s+(\w+)/m.exec(status)?.[1]
        expectThat(uid !== undefined && uid !== '0', `it runs as user ${uid}`)
        expectThat(capabilities === '0000000000000000', `it has capabilities ${capabilities}`)
        return `user ${uid}`
      },
    },
    {
      promise: `${part}: its root file system is read-only`,
      run: async ({ engine, names }: World) => {
        const mounts = await engine.run('exec', names[part], 'cat', '/proc/1/mounts')
        const root = mounts.split('\n').find((line) => line.split(' ')[1] === '/')
        const options = root?.split(' ')[3]?.split(',') ?? []
        expectThat(options.includes('ro'), `mounted as ${options.join(',')}`)
        return ''
      },
    },
  ],
)

/** No part of the product, or of no use to an operator. */
const FOREIGN = /paper-exchange|simulation|\.test\.|\/test(s|\/|$)|\/e2e/

/** What is in the images, and what is not. */
export const contentChecks: readonly Check[] = [
  {
    promise: 'gateway: no package for development in it',
    run: async ({ engine, names }) => {
      const list = await engine.run('exec', names.gateway, 'ls', '/app/node_modules')
      const packages = list.split('\n')
      const found = ['vitest', 'typescript', 'vite', '@biomejs', 'ccxt', 'react'].filter((name) =>
        packages.includes(name),
      )
      expectThat(found.length === 0, `there is ${found.join(', ')}`)
      return `${packages.length} folders`
    },
  },
  ...(['gateway', 'console'] as const).map((part) => ({
    promise: `${part}: its label leads to its bill of materials`,
    run: async ({ engine, names }: World) => {
      const format = '{{index .Config.Labels "sluice.sbom"}}'
      const path = await engine.run('container', 'inspect', '--format', format, names[part])
      const { bomFormat, components } = JSON.parse(
        await engine.run('exec', names[part], 'cat', path),
      )
      expectThat(bomFormat === 'CycloneDX', `it is ${bomFormat}`)
      const known = part === 'gateway' ? 'better-sqlite3' : 'react'
      const isListed = components.some(({ name }: { name: string }) => name === known)
      expectThat(isListed, `it does not have ${known}`)
      return `${components.length} components`
    },
  })),
  {
    promise: 'gateway: no paper exchange, no test and no simulation in it',
    run: async ({ engine, names }) => {
      const packages = await engine.run('exec', names.gateway, 'ls', '/app/node_modules')
      const files = await sourcesIn(engine, names.gateway)
      const found = [...packages.split('\n'), ...files].filter((path) => FOREIGN.test(path))
      expectThat(found.length === 0, `there is ${found.join(', ')}`)
      return `${files.length} files of the project`
    },
  },
  {
    promise: 'paper: no code of the gateway in it',
    run: async ({ engine, names }) => {
      const files = await sourcesIn(engine, names.paper)
      const found = files.filter((path) => /\.ts$/.test(path) && !path.includes('paper-exchange'))
      expectThat(found.length === 0, `there is ${found.join(', ')}`)
      return `${files.length} files of the project`
    },
  },
  {
    promise: 'gateway: the data folder is its own and closed to others',
    run: async ({ engine, names }) => {
      const modes = await engine.run('exec', names.gateway, 'stat', '-c', '%U %a', '/data')
      expectThat(modes === 'node 700', `it is ${modes}`)
      return modes
    },
  },
]

/** The files of an image that are not of a package from elsewhere. */
async function sourcesIn(engine: Engine, container: string): Promise<string[]> {
  const withoutPackages = ['-name', 'node_modules', '-prune', '-o', '-type', 'f', '-print']
  return (await engine.run('exec', container, 'find', '/app', ...withoutPackages)).split('\n')
}

const ADMIN = 'admin@example.com'
const KEYS = { apiKey: 'paper-key-of-verify', apiSecret: 'paper-secret-of-verify' }
const SLOW_MS = 3000
const BACKUP = '/data/backup.db'

/**
 * An administrator, a client, an order, and the end of the gateway while one is on its way: in this
 * order.
 */
export function createTradingChecks(password: string): readonly Check[] {
  let token = ''

  return [
    {
      promise: 'gateway: npm run admin works inside',
      run: async ({ engine, names }) => {
        const create = ['admin', '--', 'create', '--email', ADMIN, '--password', password]
        return lastLine(await engine.run('exec', names.gateway, 'npm', 'run', ...create))
      },
    },
    {
      promise: 'gateway: an order passes',
      run: async (world) => {
        token = await createAccount(world, password)
        const response = await callGateway(world, mxSubmitOrder, { token, body: ORDER })
        const orders = await world.paper('GET', '/paper/orders?exchange=mx')
        expectThat(count(orders) === 1, `the paper exchange has the orders ${orders}`)
        return `order ${response.orderId}`
      },
    },
    {
      promise: 'gateway: npm run admin -- list works inside',
      run: async ({ engine, names }) => {
        const output = await engine.run('exec', names.gateway, 'npm', 'run', 'admin', '--', 'list')
        expectThat(output.includes(ADMIN), `it prints ${output}`)
        return lastLine(output)
      },
    },
    {
      promise: 'gateway: npm run doctor finds nothing wrong inside',
      run: async ({ engine, names }) =>
        lastLine(await engine.run('exec', names.gateway, 'npm', 'run', 'doctor')),
    },
    {
      promise: 'gateway: npm run backup works inside while it runs',
      run: async ({ engine, names }) => {
        const command = ['npm', 'run', 'backup', '--', BACKUP]
        const output = await engine.run('exec', names.gateway, ...command)
        return output.match(/\d+ kB, read back and intact/)?.[0] ?? output
      },
    },
    {
      promise: 'gateway: npm run rotate-key works inside while it runs',
      run: async ({ engine, names }) => {
        const output = await engine.run('exec', names.gateway, 'npm', 'run', 'rotate-key')
        return output.match(/^Verified: .*/m)?.[0] ?? output
      },
    },
    {
      promise: 'gateway: SIGTERM waits for the order that is on its way',
      run: async (world) => {
        const fault = { kind: 'slow', delayMs: SLOW_MS, match: { exchange: 'mx', method: 'POST' } }
        await world.paper('POST', '/paper/faults', fault)
        const placed = callGateway(world, mxSubmitOrder, { token, body: ORDER })
        await until(
          'the order is at the exchange',
          async () => count(await world.paper('GET', '/paper/orders?exchange=mx')) === 2,
        )
        const [stopped] = await Promise.all([stop(world, world.names.gateway), placed])
        expectThat(stopped.exitCode === 0, `it ended with exit code ${stopped.exitCode}`)
        return `response received, stopped in ${stopped.seconds} s`
      },
    },
    {
      promise: 'gateway: npm run restore works on its volume when it is stopped',
      run: async (world) => {
        await world.removeGateway()
        const output = await world.operate('restore', '--', BACKUP, '--replace')
        return output.match(/\d+ client.*/)?.[0] ?? output
      },
    },
    {
      promise: 'gateway: a new container on the same volume knows everything',
      run: async (world) => {
        await world.startGateway()
        await until('the new gateway is healthy', () => isHealthy(world, world.names.gateway))
        await callGateway(world, login, { body: { email: ADMIN, password } })
        return ''
      },
    },
  ]
}

/** An account on the paper exchange, and a client with keys for it; returns the client's token. */
async function createAccount(world: World, password: string): Promise<string> {
  const account = { exchange: 'mx', ...KEYS, balances: { USDT: '100000' } }
  await world.paper('POST', '/paper/accounts', account)
  return createClientWithKeys(world, { email: ADMIN, password }, KEYS)
}

const count = (list: string): number => JSON.parse(list).length
const lastLine = (text: string): string => text.split('\n').at(-1) ?? ''

/** The console as a browser meets it. The administrator has to be there. */
export function createConsoleChecks(password: string): readonly Check[] {
  return [
    {
      promise: 'console: a missing asset is a 404, an unknown page is the console',
      run: async ({ consoleUrl }) => {
        const missing = await fetch(`${consoleUrl}/assets/index-gone.js`)
        expectThat(missing.status === 404, `the asset responds with ${missing.status}`)
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
      promise: 'console: the documentation is there, as pages and as Markdown',
      run: async ({ consoleUrl }) => {
        const page = await fetch(`${consoleUrl}/docs`)
        expectThat(page.ok && page.url.endsWith('/docs/guide/'), `it leads to ${page.url}`)
        const text = await fetch(`${page.url}limits.md`)
        const type = text.headers.get('content-type') ?? ''
        expectThat(text.ok && type.startsWith('text/markdown'), `Markdown comes as ${type}`)
        const missing = await fetch(`${consoleUrl}/docs/guide/gone`)
        expectThat(missing.status === 404, `a missing page responds with ${missing.status}`)
        return ''
      },
    },
    {
      promise: 'console: loads in a browser under its policy and signs in',
      run: ({ consoleUrl }) => signIn(consoleUrl, { email: ADMIN, password }),
    },
    {
      promise: 'console: stops on a signal',
      run: async (world) => {
        const { exitCode, seconds } = await stop(world, world.names.console)
        expectThat(exitCode === 0, `it ended with exit code ${exitCode}`)
        return `in ${seconds} s`
      },
    },
  ]
}
