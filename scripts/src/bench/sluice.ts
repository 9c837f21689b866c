import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CACHE_FOLDER } from 'gateway/fresh-bundle.js'
import {
  createClient,
  EXCHANGES,
  type ExchangeCode,
  getToken,
  healthReady,
  login,
  saveApiKey,
} from 'schema'
import { spawnGateway } from '../../../gateway/test/campaign/gateway.ts'
import { callGateway } from '../call-gateway.ts'
import { provideBundle } from '../provide-bundle.ts'
import { onCore } from './child.ts'
import { CONNECTIONS_MAX } from './load.ts'

/** Below the repository: the folder for temporary files is in memory on some machines. */
const FOLDER = '.cache/bench'
const ADMIN = { email: 'admin@sluice.bench', password: 'bench-on-one-core' }
const CLIENTS = 4

/** An account of an exchange: the keys of a client. */
interface BenchKeys {
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase?: string
}

interface NewClients {
  readonly count: number
  /** Undefined: the client gets no keys of the exchange. */
  keysOf(index: number, exchange: ExchangeCode): BenchKeys | undefined
}

export interface BenchClient {
  readonly clientId: string
  readonly clientSecret: string
  readonly token: string
}

export interface Sluice {
  readonly origin: string
  readonly startMs: number
  /**
   * Creates clients through the calls that the console makes; of itself four with keys for both
   * exchanges.
   */
  createClients(clients?: NewClients): Promise<BenchClient[]>
  /** The token of the administrator. */
  signIn(): Promise<string>
  readonly pid: number | undefined
  stop(): Promise<void>
}

interface SluiceOptions {
  /** The origin of every exchange. */
  readonly upstream: string
  /** The folder of its data; absent: a new one that goes when it stops. */
  readonly folder?: string
  /** Another program that starts the gateway; absent: the bundle. */
  readonly entry?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether it may use every core, for what has threads of its own. */
  readonly isFree?: boolean
}

/** A new folder for a database on the disk. */
export function dataFolder(): string {
  mkdirSync(FOLDER, { recursive: true })
  return mkdtempSync(join(FOLDER, 'data-'))
}

/** The gateway as its image runs it, with the greatest rate that it accepts, on one core. */
export async function startSluice(options: SluiceOptions): Promise<Sluice> {
  const { upstream, env } = options
  const folder = options.folder ?? dataFolder()
  const entry = options.entry ?? (await provideBundle())
  const startedMs = performance.now()
  const gateway = spawnGateway({
    entry,
    through: options.isFree ? [] : onCore('measured'),
    env: {
      NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=8 --expose-gc',
      NODE_COMPILE_CACHE: fileURLToPath(CACHE_FOLDER),
      DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      MEXC_SPOT_URL: upstream,
      MEXC_FUTURES_URL: upstream,
      BITGET_URL: upstream,
      ACCOUNT_STREAMS: 'off',
      RATE_LIMIT_PER_SECOND: '1000',
      CLIENT_REQUESTS_PER_MINUTE: '0',
      CLIENT_TOKENS_PER_MINUTE: '0',
      CLIENT_REFUSALS_LOGGED_PER_MINUTE: '0',
      UPSTREAM_CONCURRENCY: String(CONNECTIONS_MAX),
      ...env,
    },
  })
  const stop = async () => {
    gateway.signal('SIGTERM')
    await gateway.ended
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    const origin = await gateway.url
    await callGateway({ gatewayUrl: origin }, healthReady)
    const startMs = performance.now() - startedMs
    const createClients = (clients?: NewClients) => createAll(origin, clients)
    const signIn = async () =>
      (await callGateway({ gatewayUrl: origin }, login, { body: ADMIN })).token
    return { origin, startMs, createClients, signIn, pid: gateway.pid, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const anyKeys: NewClients = {
  count: CLIENTS,
  keysOf: (index, exchange) => ({
    apiKey: `key-of-${index}-${Date.now().toString(36)}-${exchange}`,
    apiSecret: 'a-secret-of-32-characters-in-all',
    ...(exchange === 'bg' ? { passphrase: 'passphrase' } : {}),
  }),
}

async function createAll(gatewayUrl: string, { count, keysOf } = anyKeys): Promise<BenchClient[]> {
  const gateway = { gatewayUrl }
  const { token: admin } = await callGateway(gateway, login, { body: ADMIN })
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const clientId = `bench-${index}-${Date.now().toString(36)}`
      const client = { body: { clientId }, token: admin }
      const { clientSecret } = await callGateway(gateway, createClient, client)
      for (const exchange of EXCHANGES) {
        const keys = keysOf(index, exchange)
        if (keys === undefined) continue
        const body = { clientId, exchange, ...keys }
        await callGateway(gateway, saveApiKey, { body, token: admin })
      }
      const { token } = await callGateway(gateway, getToken, { body: { clientId, clientSecret } })
      return { clientId, clientSecret, token }
    }),
  )
}
