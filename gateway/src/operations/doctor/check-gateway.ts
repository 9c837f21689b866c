import { healthReady } from 'schema'
import type { Config } from '../../config.ts'
import { isGatewayRunning } from '../../store/sqlite/lock.ts'
import { about, type Finding } from './finding.ts'

const PATIENCE_MS = 5_000
const PROXY_ADVICE =
  'Set TRUST_PROXY to the address of the proxy and restart the gateway. The proxy must replace X-Forwarded-For, or append to it.'

/** Where this machine asks whether the gateway is ready. */
export function readyUrl({ host: named, port }: Config['listen']): string {
  const host = ['0.0.0.0', '::'].includes(named) ? '127.0.0.1' : named
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${healthReady.path}`
}

/** Checks whether a gateway uses the database file, and what its health route says. */
export async function checkGateway(path: string, config: Config): Promise<Finding> {
  const { ok, failed } = about('gateway')
  try {
    if (!isGatewayRunning(path)) return ok('none is running on this database')
  } catch (error) {
    return failed(error)
  }
  return checkReady(config)
}

/** Says what the health route of the gateway on this machine says. */
export async function checkReady({ listen }: Pick<Config, 'listen'>): Promise<Finding> {
  const { ok, warn, fail } = about('gateway')
  const url = readyUrl(listen)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const { reasons = [], warnings = [] } = Object(await response.json())
    if (response.ok && warnings.length > 0)
      return warn(`one is running and ready, but: ${warnings.join('; ')}`, PROXY_ADVICE)
    if (response.ok) return ok(`one is running and ready (${url})`)
    return fail(`one is running but not ready: ${reasons.join('; ')}`, 'Its log has the details.')
  } catch {
    // A refused connection, a timeout and a wrong response need the same advice.
    return warn(
      `one is running on this database but does not respond at ${url}`,
      'It is starting, stopping or hanging, or its HOST and PORT differ from those of this command.',
    )
  }
}
