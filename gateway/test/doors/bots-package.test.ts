import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { RestClientV2, RestClientV3 } from 'bitget-api'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { botsFolder, importProgram } from './run-program.ts'
import { sharedSluice } from './sluice.ts'

// The helpers of docs/bots are a package: installed from what npm packs, without a network. ccxt is
// in the bot's own node_modules, as when a bot has installed it.

const sluice = sharedSluice()
const run = promisify(execFile)
const ccxt = dirname(dirname(fileURLToPath(import.meta.resolve('ccxt'))))
const MODULES = ['token', 'ccxt', 'bitget', 'door'] as const
const quiet = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']

test('the packed helpers install offline, a bot trades with them, and each has types', async () => {
  const { url, bot } = sluice()
  const folder = tempFolder()
  const env = {
    ...{ ...process.env, PORT: '0', SLUICE_URL: url },
    ...{ SLUICE_CLIENT_ID: bot.clientId, SLUICE_CLIENT_SECRET: bot.clientSecret },
  }
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: botsFolder,
  })
  const [{ filename, files }] = JSON.parse(stdout)
  writeFileSync(join(folder, 'package.json'), '{ "name": "a-bot", "type": "module" }')
  await run('npm', ['install', ...quiet, `./${filename}`], { cwd: folder })
  symlinkSync(ccxt, join(folder, 'node_modules', 'ccxt'))

  const packed = files.map(({ path }: { path: string }) => path)
  for (const name of MODULES)
    expect(packed).toEqual(
      expect.arrayContaining([`sluice-${name}.mjs`, `sluice-${name}.d.mts`, 'LICENSE']),
    )
  expect(packed.filter((path: string) => /ccxt\.mjs$/.test(path))).toEqual(['sluice-ccxt.mjs'])

  writeFileSync(
    join(folder, 'bot.js'),
    `import ccxt from 'ccxt'
import { viaSluice } from 'sluice-bots/ccxt'
${MODULES.map((name) => `import * as ${name}Names from 'sluice-bots/${name}'`).join('\n')}
console.log(JSON.stringify([${MODULES.map((name) => `Object.keys(${name}Names)`)}]))
console.log((await viaSluice(ccxt.mexc, 'mx').fetchTicker('BTC/USDT')).last)`,
  )
  const printed = (await run(process.execPath, ['bot.js'], { cwd: folder, env })).stdout.split('\n')
  expect(printed[1]).toBe('60000')
  const declared = MODULES.map((name) => {
    const types = readFileSync(join(botsFolder, `sluice-${name}.d.mts`), 'utf8')
    return [...types.matchAll(/^export (?:function|const) (\w+)/gm)].map(([, value]) => value)
  })
  expect(JSON.parse(printed[0] ?? '')).toEqual(declared.map((names) => names.toSorted()))

  const proxy = spawn(join(folder, 'node_modules', '.bin', 'sluice-door'), { env })
  onTestFinished(() => void proxy.kill())
  const [address] = await once(proxy.stdout, 'data')
  const price = await fetch(`${`${address}`.trim()}/mx/api/v3/ticker/price?symbol=BTCUSDT`)
  expect(await price.json()).toMatchObject({ price: '60000' })
})

test('a class of another ccxt than that of the package is refused in a sentence', async () => {
  const program = await importProgram(sluice(), 'sluice-ccxt.mjs')
  const { viaSluice } = program as typeof import('../../../docs/bots/sluice-ccxt.mjs')
  class Other {}
  expect(() => viaSluice(Other as never, 'mx')).toThrow('install both in one node_modules')
})

test('bitget-api through its helper: one key is one order, and an error says what Sluice says', async () => {
  const { paper } = sluice()
  const program = await importProgram(sluice(), 'sluice-bitget.mjs')
  const { viaSluice } = program as typeof import('../../../docs/bots/sluice-bitget.mjs')
  const classic = viaSluice(RestClientV2)
  const order = {
    ...({ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' } as const),
    ...{ price: '50000', size: '0.001' },
  }
  const before = paper.orders('bg').length
  const keyed = classic.withKey('one-order')
  const first = await keyed.spotSubmitOrder(order)
  expect(await keyed.spotSubmitOrder(order)).toEqual(first)
  expect(paper.orders('bg')).toHaveLength(before + 1)
  await expect(keyed.spotSubmitOrder({ ...order, size: '0.002' })).rejects.toMatchObject({
    message: expect.stringMatching(/^IDEMPOTENCY_KEY_REUSED: [A-Z]/),
    sluice: { code: 'IDEMPOTENCY_KEY_REUSED' },
    outcome: 'not-sent',
    retryable: false,
  })
  const demo = viaSluice(RestClientV2, { demoTrading: true })
  await demo.spotSubmitOrder(order)
  const [sent] = paper.received({ path: '/api/v2/spot/trade/place-order' }).slice(-1)
  expect(sent?.headers).toMatchObject({ paptrading: '1' })
  // Bitget's own error is unchanged.
  const unified = viaSluice(RestClientV3).getBalances()
  const error: unknown = await unified.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ body: { code: '40084' } })
  expect(error).not.toHaveProperty('sluice')
})
