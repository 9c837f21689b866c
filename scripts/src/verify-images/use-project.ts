import { mxSubmitOrder } from 'schema'
import { callGateway, type Reached } from './call-gateway.ts'
import { type Check, isHealthy, until } from './check.ts'
import type { Project } from './compose.ts'
import { createClientWithKeys, ORDER } from './create-client.ts'
import type { Person } from './sign-in.ts'

/** A compose file, started for real; its checks are to be run in their order. */
export interface Installation {
  readonly project: Project
  readonly checks: readonly Check<void>[]
}

/** The script that makes the master key, as docs/operations/install.md has it. */
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
