import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AppOptions, buildApp } from 'gateway/app.ts'
import { readConfig } from 'gateway/config.ts'
import { createPaperExchange, type PaperExchange } from 'paper-exchange/paper-exchange.ts'
import type { AccountKind, ExchangeCode } from 'schema'
import { clockAt } from '../../gateway/test/support/clock-at.ts'
import { freePort } from '../../gateway/test/support/free-port.ts'
import {
  CLIENT,
  type OpenIdTestProvider,
  startOpenIdProvider,
} from '../../gateway/test/support/openid-provider.ts'
import { serveConsole } from './serve-console.ts'

interface LocalDeploymentOptions {
  /** Folder of the built console, absolute. */
  readonly dist: string
  readonly admin: { readonly email: string; readonly password: string }
  /** Per exchange. */
  readonly ratePerSecond: number
  readonly app?: AppOptions
  /** It hears of accounts; absent: it opens no WebSocket. */
  readonly hasStreams?: boolean
  /** Another wall clock of the gateway. */
  readonly nowMs?: () => number
  /** More settings, made when the gateway's address is known. */
  readonly env?: (gatewayUrl: string) => Promise<Readonly<Record<string, string>>>
  /** Fills the database before the gateway opens it; there is none at this path yet. */
  readonly seed?: (databasePath: string) => void
}

/** Everything a person needs to work with Sluice, on ports of its own. The caller closes it. */
export interface LocalDeployment {
  readonly gatewayUrl: string
  /** Another origin than the gateway's, as deployed. */
  readonly consoleUrl: string
  readonly paper: PaperExchange
  readonly databaseUrl: string
  /** Stops all parts and removes the database. */
  readonly close: () => Promise<void>
}

const HOST = '127.0.0.1'

/**
 * Paper exchange, gateway over an SQLite file in a new folder, and the built console with its
 * production headers, in this process.
 */
export async function deployLocally(options: LocalDeploymentOptions): Promise<LocalDeployment> {
  const { dist, admin, ratePerSecond } = options
  await using closing = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sluice-local-'))
  closing.defer(() => rm(folder, { recursive: true, force: true }))
  const databasePath = join(folder, 'sluice.db')
  const databaseUrl = `file:${databasePath}`
  options.seed?.(databasePath)
  const paper = await createPaperExchange()
  closing.defer(() => paper.close())

  // Each has to know the other's address before it starts: the gateway for CORS, the console for
  // its policy.
  const port = await freePort()
  const gatewayUrl = `http://${HOST}:${port}`
  const openId = options.env !== undefined
  const served = await serveConsole({ ...{ dist, host: HOST, port: 0 }, gatewayUrl, openId })
  closing.defer(served.close)

  const config = readConfig({
    HOST,
    PORT: `${port}`,
    DATABASE_URL: databaseUrl,
    // Passkeys are for a name, not for an IP address.
    CONSOLE_ORIGIN: `${served.url},${served.url.replace(HOST, 'localhost')}`,
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    MEXC_SPOT_URL: paper.url,
    MEXC_FUTURES_URL: paper.url,
    BITGET_URL: paper.url,
    ACCOUNT_STREAMS: options.hasStreams === true ? 'on' : 'off',
    RATE_LIMIT_PER_SECOND: `${ratePerSecond}`,
    ...(await options.env?.(gatewayUrl)),
  })
  const app = await buildApp(config, {
    ...(options.nowMs === undefined ? {} : { time: clockAt(options.nowMs) }),
    ...options.app,
  })
  closing.defer(() => app.close())
  await app.listen(config.listen)
  const running = closing.move()
  const close = () => running.disposeAsync()
  return { gatewayUrl, consoleUrl: served.url, paper, databaseUrl, close }
}

export interface DeploymentWithProvider extends LocalDeployment {
  readonly provider: OpenIdTestProvider
}

/** A local deployment whose administrators can sign in at an OpenID Connect provider. */
export async function deployWithProvider(
  options: Omit<LocalDeploymentOptions, 'env'> & {
    readonly env?: Readonly<Record<string, string>>
  },
): Promise<DeploymentWithProvider> {
  let provider: OpenIdTestProvider | undefined
  const deployment = await deployLocally({
    ...options,
    env: async (gatewayUrl) => {
      provider = await startOpenIdProvider({ redirectUri: `${gatewayUrl}/auth/openid/callback` })
      return {
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
        OIDC_NAME: 'Example ID',
        OIDC_ROLES: 'admin=sluice-admins,operator=sluice-operators,viewer=staff',
        GATEWAY_URL: gatewayUrl,
        ...options.env,
      }
    },
  })
  if (provider === undefined) throw new Error('The deployment asked for no settings')
  const { close } = provider
  return {
    ...{ ...deployment, provider },
    close: async () => {
      await deployment.close()
      await close()
    },
  }
}

export interface AccountKeys {
  readonly apiKey: string
  readonly apiSecret: string
  /** Bitget only. */
  readonly passphrase?: string
}

/**
 * Opens an account with money at the paper exchange, as a person would at a real one; its keys are
 * what comes back.
 * @param kind of a Bitget account
 */
export function createAccount(
  paper: PaperExchange,
  exchange: ExchangeCode,
  owner: string,
  kind: AccountKind = 'classic',
): AccountKeys {
  const keys = {
    apiKey: `${exchange}-key-of-${owner}`,
    apiSecret: `${exchange}-secret-of-${owner}`,
    ...(exchange === 'bg' ? { passphrase: 'open sesame' } : {}),
  }
  paper.accounts.add({
    exchange,
    name: `${owner}-${exchange}`,
    ...keys,
    unified: kind === 'unified',
    balances: { USDT: '100000', BTC: '2', ETH: '20' },
    futuresBalances: { USDT: '100000' },
  })
  return keys
}
