import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildApp } from 'gateway/app.ts'
import { readConfig } from 'gateway/config.ts'
import { loggerOptions } from 'gateway/http/logging.ts'
import { generatePassword } from 'gateway/vault/password.ts'
import { createPaperExchange, type PaperExchange } from 'paper-exchange/paper-exchange.ts'
import type { Call } from '../cli.ts'
import { provideConsole } from '../provide-bundle.ts'
import { serveConsole } from '../serve-console.ts'
import { DEMO_ADMIN, DEMO_CLASSIC_CLIENT, DEMO_CLIENT, seed } from './seed.ts'

/** Starts the demo, prints how to use it, and closes it on a signal. */
export async function runDemo(
  ports: DemoOptions['ports'],
  dataFolder: string,
  { io, console }: Pick<Call, 'io' | 'console'>,
): Promise<void> {
  const demo = await startDemo({
    ports,
    dataFolder,
    onProgress: (step) => console.log(`  ${step} …`),
  })
  console.log(nextSteps(demo))
  io.closeOnSignal({
    async close() {
      console.log('\nStopping …')
      await demo.close()
      console.log(
        'Stopped. The next "npm run demo" keeps the clients and the log; the paper exchange starts empty.',
      )
    },
    withinMs: 10_000,
  })
}

interface DemoOptions {
  readonly ports: { readonly gateway: number; readonly console: number; readonly paper: number }
  readonly dataFolder: string
  readonly onProgress: (step: string) => void
}

interface Demo {
  readonly gatewayUrl: string
  readonly consoleUrl: string
  readonly paperUrl: string
  /** Undefined once the admin has another password or a second factor. */
  readonly adminPassword?: string
  readonly clientSecret: string
  /** Of the client with the classic account; undefined in a demo that is older than it. */
  readonly classicSecret?: string
  readonly spare: { readonly mx: PaperKeys; readonly bg: PaperKeys }
  readonly logFile: string
  close(): Promise<void>
}

/**
 * Gateway, console and paper exchange on this machine, with an admin and a client that can trade.
 */
async function startDemo({ ports, dataFolder, onProgress }: DemoOptions): Promise<Demo> {
  await using closing = new AsyncDisposableStack()
  const folder = resolve(dataFolder)
  const { secrets, save } = loadSecrets(folder)

  onProgress('starting the paper exchange')
  const paper = await startPaper(ports.paper, secrets)
  closing.defer(() => paper.close())

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
  const app = await buildApp(config, { logger: { ...loggerOptions('info'), file: logFile } })
  closing.defer(() => app.close())
  await app.listen(config.listen)
  const seeded = await seed(app, secrets)
  const clientSecret = seeded.clientSecret ?? secrets.clientSecret
  if (clientSecret === undefined) throw new Error('The demo has no client secret')
  const classicSecret = seeded.classicSecret ?? secrets.classicSecret
  const ofClassic = classicSecret === undefined ? {} : { classicSecret }
  save({ ...secrets, clientSecret, ...ofClassic })
  const gatewayUrl = `http://localhost:${portOf(app.server.address())}`

  onProgress('starting the console')
  const dist = await provideConsole()
  const served = await serveConsole({
    ...{ dist, gatewayUrl },
    ...{ host: '127.0.0.1', port: ports.console },
  })
  closing.defer(served.close)
  const running = closing.move()
  return {
    gatewayUrl,
    consoleUrl: served.url.replace('127.0.0.1', 'localhost'),
    paperUrl: paper.url.replace('127.0.0.1', 'localhost'),
    ...(seeded.signsIn ? { adminPassword: secrets.adminPassword } : {}),
    clientSecret,
    ...ofClassic,
    spare: { mx: secrets.keys.spareMx, bg: secrets.keys.spareBg },
    logFile,
    close: () => running.disposeAsync(),
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
      { exchange: 'mx', name: 'spare-mexc', ...keys.spareMx, balances },
      { exchange: 'bg', name: 'spare-bitget', unified: true, ...keys.spareBg, balances },
    ],
  })
}

function portOf(address: unknown): number {
  if (typeof address === 'object' && address !== null && 'port' in address)
    return Number(address.port)
  throw new Error('The gateway listens on no port')
}

export interface PaperKeys {
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase?: string
}

/** What the demo has to know again at its next start. It opens nothing but the paper exchange. */
export interface DemoSecrets {
  readonly adminPassword: string
  /** `classic`: of a classic account of Bitget. The spare ones belong to no client. */
  readonly keys: Readonly<Record<'mx' | 'bg' | 'classic' | 'spareMx' | 'spareBg', PaperKeys>>
  /** Of the demo's client, once it is made. */
  readonly clientSecret?: string
  /** The same of the client with the classic account. */
  readonly classicSecret?: string
}

/**
 * The secrets of the last start, or new ones; `save` keeps them in a file that only this user
 * reads.
 */
function loadSecrets(folder: string) {
  const path = join(folder, 'demo-secrets.json')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const made = makeSecrets()
  const kept: DemoSecrets = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : made
  // An older demo has fewer keys.
  const secrets: DemoSecrets = { ...kept, keys: { ...made.keys, ...kept.keys } }
  const save = (next: DemoSecrets) =>
    writeFileSync(path, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 })
  save(secrets)
  return { secrets, save }
}

function makeSecrets(): DemoSecrets {
  const random = () => randomBytes(16).toString('hex')
  return {
    adminPassword: generatePassword(),
    keys: {
      mx: { apiKey: `paper-mx-${random()}`, apiSecret: random() },
      bg: { apiKey: `paper-bg-${random()}`, apiSecret: random(), passphrase: random() },
      classic: { apiKey: `paper-bg-${random()}`, apiSecret: random(), passphrase: random() },
      spareMx: { apiKey: `paper-mx-${random()}`, apiSecret: random() },
      spareBg: { apiKey: `paper-bg-${random()}`, apiSecret: random(), passphrase: random() },
    },
  }
}

/** What runs where, and commands that can be pasted as they are. */
function nextSteps(demo: Demo): string {
  const { gatewayUrl, consoleUrl, paperUrl, adminPassword, clientSecret, logFile } = demo
  const { classicSecret, spare } = demo
  const credentials = JSON.stringify({ clientId: DEMO_CLIENT, clientSecret })
  const order = JSON.stringify({
    symbol: 'BTC_USDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '0.01',
    price: '60000',
  })
  const classic =
    classicSecret === undefined
      ? ''
      : `
A second client has keys for a classic account of Bitget:

export SLUICE_CLIENT_ID=${DEMO_CLASSIC_CLIENT} SLUICE_CLIENT_SECRET='${classicSecret}'
`
  return `
Sluice is running. Its exchange is made of paper: no real money moves.

  Console         ${consoleUrl}   (documentation: ${consoleUrl}/docs)
  sign in with    ${DEMO_ADMIN}
  password        ${adminPassword ?? 'as you have changed it in the console, or with your second factor'}

  Gateway         ${gatewayUrl}   (API pages: ${gatewayUrl}/docs)
  Paper exchange  ${paperUrl}   (what it received: ${paperUrl}/paper/received)
  Gateway's log   ${logFile}

Get a token and place an order. Paste both lines into another terminal:

TOKEN=$(curl -s ${gatewayUrl}/auth/token -H 'content-type: application/json' -d '${credentials}' | sed -E 's/.*"token":"([^"]+)".*/\\1/')
curl -s ${gatewayUrl}/api/mx/v1/submitOrder -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '${order}'

See what happens to it, as a bot does. Ctrl-C ends this one:

curl -s --no-buffer ${gatewayUrl}/api/streams/events -H "authorization: Bearer $TOKEN"

The client has keys for MEXC and for a unified account of Bitget. The programs for bots in docs/bots run with it:

export SLUICE_URL=${gatewayUrl} SLUICE_CLIENT_ID=${DEMO_CLIENT} SLUICE_CLIENT_SECRET='${clientSecret}'
${classic}
Two accounts of the paper exchange have no client yet. Store their keys in the console and test them:

  MEXC    key ${spare.mx.apiKey}   secret ${spare.mx.apiSecret}
  Bitget  key ${spare.bg.apiKey}   secret ${spare.bg.apiSecret}   passphrase ${spare.bg.passphrase}

Then look at the orders under Logs in the console. Ctrl-C stops everything.
`
}
