import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ListenOptions } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readConfig, readyUrl } from 'gateway/config.ts'
import { type Call, command, RefusedError, runAsProcess, wholeNumber } from './cli.ts'
import { provideConsole } from './provide-bundle.ts'
import { serveConsole } from './serve-console.ts'

const USAGE = `Usage:
  npm run up -- [--console-port N]
  npm run up -- --domain example.com

Starts the gateway and its console on this machine: http://localhost:8080 and http://localhost:8081. Ctrl-C stops both. With a
domain it also starts Caddy, which gets the certificates: https://api.example.com is the gateway, https://console.example.com
the console. Caddy must be installed, and be allowed to use ports 80 and 443.

Settings come from .env; the data is in the folder data unless DATABASE_URL names another. The gateway's log is written to the
standard output. For a machine that runs it day and night, use the units of systemd: docs/operations/systemd.md.

  --console-port N   without a domain; default 8081
  --domain D         both names must lead to this machine`

const project = fileURLToPath(new URL('../..', import.meta.url))
const PAUSE_MS = 100
/** What Caddy needs to run and to keep its certificates: the gateway's secrets are not among it. */
const CADDY_SETTINGS = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME']
/** Longer than a gateway needs to stop (TimeoutStopSec of the unit): nothing is cut off. */
const STOP_WITHIN_MS = 300_000

export const run = command({
  usage: USAGE,
  options: {
    'console-port': { type: 'string', default: '8081' },
    domain: { type: 'string' },
  },
  async run({ domain, 'console-port': port }, _positionals, call) {
    const consolePort = wholeNumber('console-port', port, 1, 65_535)
    if (domain !== undefined) requireCaddy(domain)
    const env = { ...defaultsFor(domain, consolePort), ...call.env }
    const { listen, openId } = readConfig(env)
    const offersOpenId = openId !== undefined
    if (listen.port === 0) throw new RefusedError('PORT is 0: the console has to know the port')
    const consoleAddress = { host: '127.0.0.1', port: consolePort }
    await requireFree(listen)
    if (domain === undefined) await requireFree(consoleAddress)
    await using programs = new Programs({ ...call, env })

    await programs.start('gateway', process.execPath, startArguments())
    await programs.unlessOneEnds(untilResponds(readyUrl(listen)))
    const dist = await provideConsole()
    if (domain === undefined) {
      const gatewayUrl = `http://localhost:${listen.port}`
      const served = { dist, gatewayUrl, openId: offersOpenId, ...consoleAddress }
      programs.closesLater(await serveConsole(served))
      call.console.log(nextSteps(gatewayUrl, `http://localhost:${consolePort}`))
    } else {
      const text = caddyfileFor(domain, listen.port, dist, offersOpenId)
      const file = programs.file('Caddyfile', text)
      const args = ['run', '--config', file, '--adapter', 'caddyfile']
      const own = CADDY_SETTINGS.map((name) => [name, env[name]])
      await programs.start('caddy', 'caddy', args, Object.fromEntries(own))
      call.console.log(nextSteps(`https://api.${domain}`, `https://console.${domain}`))
    }
    await programs.unlessOneEnds(programs.stopped)
    return 0
  },
})

/** What `npm start` gives to Node, without the name of Node. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  const [, , ...args] = String(scripts.start).split(' ')
  // This command has read the file already.
  return args.filter((argument) => !argument.startsWith('--env-file'))
}

/** Programs that run until a signal comes; then all of them stop, the last one first. */
class Programs implements AsyncDisposable {
  readonly #call: Pick<Call, 'env' | 'io'>
  readonly #open = new AsyncDisposableStack()
  readonly #ended = Promise.withResolvers<never>()
  readonly #stopped = Promise.withResolvers<void>()
  #isStopping = false
  /** Resolves once a signal has stopped all of them. */
  readonly stopped = this.#stopped.promise

  constructor(call: Pick<Call, 'env' | 'io'>) {
    this.#call = call
    call.io.closeOnSignal({
      close: async () => {
        await this[Symbol.asyncDispose]()
        this.#stopped.resolve()
      },
      withinMs: STOP_WITHIN_MS,
    })
    // A reader that is gone, or a closed terminal: each report of the error would fail in turn.
    for (const output of [call.io.out, call.io.err]) output.on('error', () => {})
    // Only `unlessOneEnds` is asked.
    this.#ended.promise.catch(() => {})
  }

  /**
   * What it prints goes to the outputs of this command. It is in a group of its own: Ctrl-C would
   * reach it as well, and the signal that follows from here would cut its stop short.
   */
  async start(
    name: string,
    program: string,
    args: readonly string[],
    env = this.#call.env,
  ): Promise<void> {
    const { io } = this.#call
    const child = spawn(program, args, {
      ...{ cwd: project, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    })
    const exited = once(child, 'exit')
    // A second Ctrl-C ends this process at once, with some that have had no signal yet.
    io.onExit(() => child.kill('SIGTERM'))
    child.stdout.pipe(io.out, { end: false })
    child.stderr.pipe(io.err, { end: false })
    this.#open.defer(async () => {
      child.kill('SIGTERM')
      await exited
    })
    void exited.then(([code, signal]) => {
      if (this.#isStopping) return
      const how = signal ?? `exit code ${code}`
      this.#ended.reject(new RefusedError(`The ${name} ended with ${how}: Sluice is stopped.`))
    })
    await once(child, 'spawn')
  }

  closesLater({ close }: { readonly close: () => Promise<void> }): void {
    this.#open.defer(close)
  }

  /** @returns the path of a file that is removed in the end */
  file(name: string, text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-up-'))
    this.#open.defer(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  /** @throws RefusedError when a program ends by itself */
  unlessOneEnds<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#ended.promise])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    await this.#open.disposeAsync()
  }
}

/** What belongs together in the settings; what is set keeps its value. */
function defaultsFor(domain: string | undefined, consolePort: number): Record<string, string> {
  if (domain === undefined)
    return {
      CONSOLE_ORIGIN: `http://localhost:${consolePort},http://127.0.0.1:${consolePort}`,
    }
  return {
    CONSOLE_ORIGIN: `https://console.${domain}`,
    GATEWAY_URL: `https://api.${domain}`,
    TRUST_PROXY: 'loopback',
  }
}

/** @throws RefusedError */
function requireCaddy(domain: string): void {
  // It becomes a part of the web server's configuration: no other character may come in.
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(domain))
    throw new RefusedError(`--domain is "${domain}"; it should look like example.com`)
  if (spawnSync('caddy', ['version']).error !== undefined)
    throw new RefusedError('--domain needs the program caddy: https://caddyserver.com/docs/install')
}

/** Otherwise what listens there would be taken for this gateway. @throws EADDRINUSE */
async function requireFree({ host, port }: ListenOptions): Promise<void> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/**
 * The file of an installation by systemd, for this domain and this folder. Nobody may administer
 * this Caddy: it runs as the user who owns the master key, and could be made to serve it.
 */
export function caddyfileFor(
  domain: string,
  port: number,
  dist: string,
  offersOpenId = false,
): string {
  return readFileSync(join(project, 'deploy/systemd/Caddyfile'), 'utf8')
    .replace(/^\tadmin .*$/m, '\tadmin off')
    .replaceAll('example.com', domain)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replaceAll('/opt/sluice/current/console/dist', JSON.stringify(dist))
    .replace(/"gatewayUrl":"[^"]+"/, offersOpenId ? '$&,"openId":true' : '$&')
}

/** A gateway that responds and is not ready runs, and its log says why: administrators need it. */
async function untilResponds(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined)
    if (response !== undefined) return
    await sleep(PAUSE_MS)
  }
}

function nextSteps(gatewayUrl: string, consoleUrl: string): string {
  return `
Sluice is running. Ctrl-C stops it.

  Console   ${consoleUrl}
  Gateway   ${gatewayUrl}   (API pages: ${gatewayUrl}/docs)

The first administrator, in another terminal: npm run admin -- create --email you@example.com
`
}

await runAsProcess(import.meta, run)
