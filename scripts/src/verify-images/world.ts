import { randomBytes } from 'node:crypto'
import { freePort } from '../../../gateway/test/support/free-port.ts'
import { type Engine, IMAGES } from './engine.ts'

/** One thing that has to hold of the running images. */
export interface Check<Of = World> {
  readonly promise: string
  /** What was found, for the table. @throws when the promise is broken */
  readonly run: (world: Of) => Promise<string>
}

/** @throws with the sentence when it does not hold */
export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}

/** Asks again and again, four times a second. @throws when the check still fails after 60 s */
export async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  const endsMs = performance.now() + 60_000
  while (!(await ask())) {
    if (performance.now() > endsMs) throw new Error(`Not within 60 s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/**
 * Whether a container's own health check passes now. docker runs it by itself, podman when it is
 * asked.
 */
export async function isHealthy({ engine }: Pick<World, 'engine'>, name: string): Promise<boolean> {
  try {
    if (engine.name === 'podman') {
      await engine.run('healthcheck', 'run', name)
      return true
    }
    return (await engine.run('inspect', '--format', '{{.State.Health.Status}}', name)) === 'healthy'
  } catch {
    return false // Not yet; the caller gives up in time.
  }
}

/** Ends a container by its stop signal. Returns its exit code and how long it took. */
export async function stop({ engine }: World, name: string) {
  const startedMs = performance.now()
  await engine.run('stop', '--time', '45', name)
  const exitCode = Number(await engine.run('inspect', '--format', '{{.State.ExitCode}}', name))
  return { exitCode, seconds: ((performance.now() - startedMs) / 1000).toFixed(1) }
}

/** Gateway, console and paper exchange in containers of their own. The caller closes it. */
export interface World {
  readonly engine: Engine
  readonly names: Readonly<Record<'gateway' | 'paper' | 'console', string>>
  readonly gatewayUrl: string
  readonly consoleUrl: string
  /** Starts the gateway, and beside it the paper exchange, which shares its network. */
  readonly startGateway: () => Promise<void>
  readonly removeGateway: () => Promise<void>
  /** An operator's command on the gateway's volume, in a container of its own. */
  readonly operate: (command: string, ...args: string[]) => Promise<string>
  /** Calls the paper exchange's control interface, which only the gateway's container reaches. */
  readonly paper: (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<string>
  readonly close: () => Promise<void>
}

// As in the compose files.
const HARDENED = [
  ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL'],
  ...['--security-opt', 'no-new-privileges', '--memory', '512m'],
]
const PAPER_URL = 'http://127.0.0.1:8082'

/** Starts all three on free ports of the loopback address. */
export async function startWorld(engine: Engine): Promise<World> {
  const id = `sluice-verify-${randomBytes(4).toString('hex')}`
  const names = { gateway: `${id}-gateway`, paper: `${id}-paper`, console: `${id}-console` }
  // Each gets the other's address before it starts.
  const [gatewayPort, consolePort] = await Promise.all([freePort(), freePort()])
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}`
  const consoleUrl = `http://127.0.0.1:${consolePort}`
  const running: string[] = []
  const start = async (name: string, args: readonly string[]) => {
    await engine.run('run', '--detach', '--name', name, ...HARDENED, ...args)
    running.push(name)
  }
  // Last first: the paper exchange lives in the gateway's network.
  const remove = async (...containers: string[]) => {
    for (const name of running.filter((one) => containers.includes(one)).toReversed()) {
      await engine.run('rm', '--force', '--volumes', name)
      running.splice(running.indexOf(name), 1)
    }
  }

  const startGateway = async () => {
    await start(names.gateway, [
      ...['--publish', `127.0.0.1:${gatewayPort}:8080`, '--volume', `${id}:/data`],
      ...environment({
        CONSOLE_ORIGIN: consoleUrl,
        MEXC_SPOT_URL: PAPER_URL,
        MEXC_FUTURES_URL: PAPER_URL,
        BITGET_URL: PAPER_URL,
      }),
      IMAGES.gateway.tag,
    ])
    await start(names.paper, [
      ...['--network', `container:${names.gateway}`],
      ...environment({ HOST: '127.0.0.1', PORT: '8082' }),
      IMAGES.paper.tag,
    ])
  }
  const close = async () => {
    await remove(...running)
    await engine.run('volume', 'rm', '--force', id)
  }

  try {
    await startGateway()
    await start(names.console, [
      ...['--publish', `127.0.0.1:${consolePort}:8080`],
      ...environment({ GATEWAY_URL: gatewayUrl }),
      IMAGES.console.tag,
    ])
  } catch (error) {
    await close()
    throw error
  }
  return {
    engine,
    names,
    gatewayUrl,
    consoleUrl,
    startGateway,
    removeGateway: () => remove(names.gateway, names.paper),
    operate: (command, ...args) =>
      engine.run(
        ...['run', '--rm', ...HARDENED, '--volume', `${id}:/data`, IMAGES.gateway.tag],
        ...['npm', 'run', command, ...args],
      ),
    paper: (method, path, body) =>
      engine.run('exec', names.paper, 'node', '-e', CALL, method, PAPER_URL + path, toText(body)),
    close,
  }
}

const CALL = `const [, method, url, body] = process.argv
const headers = { 'content-type': 'application/json' }
fetch(url, { method, ...(body ? { body, headers } : {}) }).then(async (response) => {
  process.stdout.write(await response.text())
  if (!response.ok) process.exit(1)
})`

const toText = (body: unknown) => (body === undefined ? '' : JSON.stringify(body))

function environment(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--env', `${name}=${value}`])
}
