import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { freshBundle } from 'gateway/fresh-bundle.js'
import { createPaperExchange } from 'paper-exchange/paper-exchange.ts'
import { bgGetAccountInfo } from 'schema'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ADMIN, createBotClient, signIn } from '../../gateway/test/campaign/clients.ts'
import { COMPILE_CACHE } from '../../gateway/test/support/compile-cache.ts'
import { httpServer } from '../../gateway/test/support/http-server.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'

/** A copy of the project, which these tests build and change. */
const project = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-bundle-')))
const folder = pathToFileURL(join(project, 'gateway/dist/bundle/'))
const fresh = () => freshBundle(folder, pathToFileURL(`${project}/`))
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const PACKAGES_LIST = 'node_modules/.package-lock.json'
const SOURCES_RUN = 'running the TypeScript sources'

beforeAll(() => {
  // As in the image's build: neither tests nor the compiler's settings.
  const isCopied = (path: string) =>
    !/\/(node_modules|dist|paper-exchange|test|tsconfig\.json)$/.test(path)
  for (const part of ['package.json', 'schema', 'gateway', 'scripts'])
    cpSync(part, join(project, part), { recursive: true, filter: isCopied })
  linkPackages()
  execFileSync(process.execPath, ['scripts/src/build.ts', 'gateway'], { cwd: project })
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

/** Every installed package, and the copy's own instead of the project's. */
function linkPackages(): void {
  const packages = join(project, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync('node_modules')) {
    const isOwn = ['schema', 'gateway', 'scripts'].includes(name)
    const target = isOwn ? join(project, name) : realpathSync(join('node_modules', name))
    symlinkSync(target, join(packages, name))
  }
  rmSync(join(project, PACKAGES_LIST))
  cpSync(PACKAGES_LIST, join(project, PACKAGES_LIST))
}

interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly output: () => string
}

/** The gateway as `npm start` starts it, without npm. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<Started> {
  const child = spawn(process.execPath, ['--enable-source-maps', 'gateway/src/start.js'], {
    cwd: project,
    env: {
      ...{ PATH: process.env.PATH, PORT: '0' },
      DATABASE_URL: `file:${join(tempFolder(), 'sluice.db')}`,
      ...{ MASTER_KEY: randomBytes(32).toString('base64'), ...originsOf('http://127.0.0.1:9') },
      ...env,
    },
  })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text
    })
  const address = /listening at (http:\/\/[\d.:]+)/
  await expect.poll(() => output, { timeout: 200_000, interval: 20 }).toMatch(address)
  return { child, url: address.exec(output)?.[1] ?? '', output: () => output }
}

const originsOf = (url: string) => ({
  ...{ MEXC_SPOT_URL: url, MEXC_FUTURES_URL: url, BITGET_URL: url },
})

/** Rewrites a file of the copy, until the test ends. */
function change(path: string, edit: (text: string) => string): void {
  const file = join(project, path)
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, edit(text))
  onTestFinished(() => writeFileSync(file, text))
}

test('the bundle creates a database, signs in, reads at the exchange, sends traces and stops', async () => {
  const paper = await createPaperExchange()
  onTestFinished(() => paper.close())
  const collector = await startCollector()
  const { child, url, output } = await start({
    ...{ ...originsOf(paper.url), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
  })
  expect(output()).not.toContain(SOURCES_RUN)
  const ready = await fetch(`${url}/health/ready`)
  // The copy has no .git, as a download has none.
  const running = { version, commit: 'unknown commit' }
  expect(await ready.json()).toEqual({ status: 'ready', reasons: [], ...running })
  expect(output()).toContain(
    `"version":"${version}","commit":"unknown commit","msg":"Sluice starts"`,
  )
  const headers = await signIn(url, await createBotClient(url, paper.accounts, 'bot'))
  const account = await fetch(url + bgGetAccountInfo.path, { headers })
  expect(account.status).toBe(200)
  expect(JSON.stringify(await account.json())).toContain('USDT')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(collector.paths).toContain('/v1/traces')
})

/** Receives traces, and tells at which paths. */
async function startCollector() {
  const paths: (string | undefined)[] = []
  const url = await httpServer((request, response) => {
    paths.push(request.url)
    request.resume().on('end', () => response.end())
  })
  return { paths, url }
}

test('the bundle serves the description of the API and its page, and loads Swagger only then', async () => {
  const { child, url, output } = await start({ NODE_OPTIONS: `--require=${loadedOnSignal()}` })
  const loaded = async () => {
    const before = output().length
    child.kill('SIGWINCH')
    const said = () => /^loaded: (.*)\n/m.exec(output().slice(before))?.[1]
    await expect.poll(said).toBeDefined()
    return said()
  }
  expect(await loaded()).toMatch(/better-sqlite3/)
  expect(await loaded()).not.toMatch(/swagger|undici/)
  const description = await (await fetch(`${url}/docs/json`)).json()
  expect(description).toMatchObject({ openapi: '3.1.0', info: { title: 'Sluice' } })
  expect(Object.keys(Object(description).paths)).toContain(bgGetAccountInfo.path)
  const page = await (await fetch(`${url}/docs/`)).text()
  const scripts = [...page.matchAll(/src="([^"]+)"/g)].map(([, path = '']) => path)
  expect(scripts.length).toBeGreaterThan(0)
  for (const path of scripts) expect((await fetch(new URL(path, `${url}/docs/`))).status).toBe(200)
  expect(await loaded()).toMatch(/swagger/)
})

/** A module that makes a process say at SIGWINCH what it has loaded besides its own code. */
function loadedOnSignal(): string {
  const file = join(tempFolder(), 'loaded.cjs')
  const loaded = '[...Object.keys(require.cache), ...process.moduleLoadList]'
  writeFileSync(
    file,
    `process.on('SIGWINCH', () => console.log('\\nloaded: ' + ${loaded}.join(' ')))`,
  )
  return file
}

test('a start finds what V8 compiled when the bundle was built', async () => {
  const { output } = await start({ NODE_DEBUG_NATIVE: 'COMPILE_CACHE' })
  expect(output()).toMatch(/cache for .*bundle\/main\.js was accepted/)
  expect(output()).toMatch(/cache for .*bundle\/packages-[\w-]+\.js was accepted/)
})

test('the stack of an error names the source file and its line', async () => {
  const { output } = await start()
  await expect.poll(output).toContain('exchange clock not measured')
  const [, file = '', line = ''] =
    /new ExchangeUnreachableError \((\/[^:]+):(\d+)/.exec(output()) ?? []
  expect(file).toBe(join(project, 'gateway/src/exchanges/protocol/errors.ts'))
  expect(readFileSync(file, 'utf8').split('\n')[Number(line) - 1]).toContain(
    'ExchangeUnreachableError',
  )
})

test('a bundle of other sources is not used, and the log says what to do', async () => {
  change('schema/src/catalogue.ts', (text) => `${text}\n// changed\n`)
  const { output } = await start({ NODE_OPTIONS: COMPILE_CACHE.NODE_OPTIONS })
  expect(output()).toContain(SOURCES_RUN)
  expect(output()).toContain('npm run build')
})

test('a bundle is fresh as long as each of its sources has the same text, whatever their times', () => {
  const main = pathToFileURL(join(project, 'gateway/dist/bundle/main.js')).href
  expect(fresh()?.href).toBe(main)
  utimesSync(join(project, 'gateway/src/app.ts'), new Date(), new Date())
  expect(fresh()?.href).toBe(main)
})

test.each([
  ['a source has another text', 'gateway/src/app.ts', (text: string) => text.replace('the', 'teh')],
  ['other packages are installed', PACKAGES_LIST, () => '{}'],
  ['it is built in another way', 'scripts/src/build-gateway.ts', (text: string) => `${text}\n`],
])('a bundle is stale when %s', (_when, path, edit) => {
  change(path, edit)
  expect(fresh()).toBeUndefined()
})

test('without its manifest, which is written last, there is no bundle', () => {
  const manifest = join(project, 'gateway/dist/bundle/sources.json')
  const text = readFileSync(manifest)
  rmSync(manifest)
  onTestFinished(() => writeFileSync(manifest, text))
  expect(fresh()).toBeUndefined()
})
