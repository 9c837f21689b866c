import { join, resolve } from 'node:path'
import { buildApp } from 'gateway/app.ts'
import { readConfig } from 'gateway/config.ts'
import { loggerOptions } from 'gateway/http/logging.ts'
import { createPaperExchange, type PaperExchange } from 'paper-exchange/paper-exchange.ts'
import { buildConsole } from '../build-console.ts'
import { serveConsole } from '../serve-console.ts'
import { type DemoSecrets, loadSecrets } from './secrets.ts'
import { DEMO_ADMIN, seed } from './seed.ts'

export interface DemoOptions {
  readonly ports: { readonly gateway: number; readonly console: number; readonly paper: number }
  readonly dataFolder: string
  readonly onProgress: (step: string) => void
}

export interface Demo {
  readonly gatewayUrl: string
  readonly consoleUrl: string
  readonly paperUrl: string
  /** Undefined once the admin has another password or a second factor. */
  readonly adminPassword?: string
  readonly clientSecret: string
  /** Of the client with the classic account; undefined in a demo that is older than it. */
  readonly classicSecret?: string
  readonly logFile: string
  close(): Promise<void>
}

/**
 * Gateway, console and paper exchange on this machine, with an admin and a client that can trade.
 */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { ports, dataFolder, onProgress } = options
  const closers: Array<() => Promise<void>> = []
  const close = async () => {
    for (const closeOne of closers.toReversed()) await closeOne()
  }
  try {
    const folder = resolve(dataFolder)
    const { secrets, save } = loadSecrets(folder)

    onProgress('starting the paper exchange')
    const paper = await startPaper(ports.paper, secrets)
    closers.push(() => paper.close())

    onProgress('starting the gateway')
    const consolePort = ports.console === 0 ? 8081 : ports.console
    const logFile = join(folder, 'gateway.log')
    const config = readConfig({
      HOST: '127.0.0.1',
      PORT: `${ports.gateway}`,
      DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
      CONSOLE_ORIGIN: `http://localhost:${consolePort},http://127.0.0.1:${consolePort}`,
      ADMIN_EMAIL: DEMO_ADMIN,
      ADMIN_PASSWORD: secrets.adminPassword,
      MEXC_SPOT_URL: paper.url,
      MEXC_FUTURES_URL: paper.url,
      BITGET_URL: paper.url,
    })
    const app = await buildApp(config, {
      logger: { ...loggerOptions('info'), file: logFile },
    })
    closers.push(() => app.close())
    await app.listen(config.listen)
    const seeded = await seed(app, secrets)
    const clientSecret = seeded.clientSecret ?? secrets.clientSecret
    if (clientSecret === undefined) throw new Error('The demo has no client secret')
    const classicSecret = seeded.classicSecret ?? secrets.classicSecret
    const ofClassic = classicSecret === undefined ? {} : { classicSecret }
    save({ ...secrets, clientSecret, ...ofClassic })
    const gatewayUrl = `http://localhost:${portOf(app.server.address())}`

    onProgress('building the console')
    const dist = await buildConsole()
    const served = await serveConsole({
      dist,
      host: '127.0.0.1',
      port: ports.console,
      gatewayUrl,
    })
    closers.push(served.close)
    return {
      gatewayUrl,
      consoleUrl: served.url.replace('127.0.0.1', 'localhost'),
      paperUrl: paper.url.replace('127.0.0.1', 'localhost'),
      ...(seeded.signsIn ? { adminPassword: secrets.adminPassword } : {}),
      clientSecret,
      ...ofClassic,
      logFile,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Prices move by themselves, so that orders fill and the console has something to show. On Bitget
 * there is a unified account, as new ones there are, and a classic one.
 */
function startPaper(port: number, { keys }: DemoSecrets): Promise<PaperExchange> {
  const balances = { USDT: '100000', BTC: '2', ETH: '20' }
  return createPaperExchange({
    port,
    walk: { seed: 20_261, stepMs: 1000, stepRatio: '0.0005' },
    tickEveryMs: 1000,
    accounts: [
      { exchange: 'mx', name: 'demo-mexc', ...keys.mx, balances },
      { exchange: 'bg', name: 'demo-bitget', unified: true, ...keys.bg, balances },
      { exchange: 'bg', name: 'demo-bitget-classic', ...keys.classic, balances },
    ],
  })
}

function portOf(address: unknown): number {
  if (typeof address === 'object' && address !== null && 'port' in address)
    return Number(address.port)
  throw new Error('The gateway listens on no port')
}
