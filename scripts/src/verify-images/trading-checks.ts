import { login, mxSubmitOrder } from 'schema'
import { callGateway } from './call-gateway.ts'
import { type Check, expectThat, isHealthy, stop, until } from './check.ts'
import { createClientWithKeys, ORDER } from './create-client.ts'
import type { World } from './start-world.ts'

export const ADMIN = 'admin@example.com'
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
