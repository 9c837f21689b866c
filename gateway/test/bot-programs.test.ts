import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { TestClient } from './app.ts'
import { botPrograms, botsFolder, importProgram, runProgram } from './sdk/run-program.ts'
import { sharedSluice, tokenOf } from './sdk/sluice.ts'

// The clock is looked up at each reading, so that a test can set it.
const sluice = sharedSluice({ app: { nowMs: () => Date.now() } })
let unifiedBot: TestClient
beforeAll(async () => {
  unifiedBot = await sluice().client('unified-bot', { unified: true })
})
const textOf = (file: string) => readFileSync(join(botsFolder, file), 'utf8')

/**
 * Python may be absent on a machine, and so may what a Python program imports; for its ccxt there
 * is a stand-in.
 */
function canRun(file: string): boolean {
  if (!file.endsWith('.py')) return true
  const imports = [...textOf(file).matchAll(/^import (\w+)$/gm)].map(([, name]) => name)
  return isFine('python3', [
    '-c',
    imports
      .filter((name) => name !== 'ccxt')
      .map((name) => `import ${name}`)
      .join('\n'),
  ])
}

function isFine(command: string, args: readonly string[], input = ''): boolean {
  try {
    execFileSync(command, args, { input, stdio: ['pipe', 'ignore', 'ignore'] })
    return true
  } catch {
    return false
  }
}

/** All programs except the parts that others import, which are named `sluice…`. */
const complete = botPrograms.flatMap((file) => {
  if (file.startsWith('mexc')) return [{ file, exchange: 'mx' }]
  return file.startsWith('bitget') ? [{ file, exchange: 'bg' }] : []
})
const runnable = complete.filter(({ file }) => canRun(file))

test('every program is complete, or is a part that a complete one imports or a test runs', () => {
  const parts = botPrograms.filter((file) => !complete.some((program) => program.file === file))
  expect(complete).toHaveLength(11)
  expect(parts.toSorted()).toEqual([
    'sluice-ccxt.mjs',
    'sluice-door.mjs', // bot-door.test.ts
    'sluice-token.mjs',
    'sluice-token.sh',
    'sluice_ccxt.py',
    'sluice_token.py',
  ])
})

/** Each program with each kind of account that its exchange has. */
const runs = runnable.flatMap(({ file, exchange }) =>
  exchange === 'bg'
    ? ['classic', 'unified'].map((account) => ({ file, exchange, account }))
    : [{ file, exchange, account: 'only' }],
)

test.each(runs)(
  '$file reads the market and places one order with the stored key, on the $account account',
  async ({ file, exchange, account }) => {
    const { paper, arrivedText } = sluice()
    const bot = account === 'unified' ? unifiedBot : sluice().bot
    const before = paper.orders().length
    const printed = await runProgram({ ...sluice(), bot }, file)
    expect(paper.orders().slice(before)).toMatchObject([
      {
        exchange,
        account: `${bot.clientId}-${exchange}`,
        symbol: 'BTCUSDT',
        price: '50000',
        size: '0.001',
      },
    ])
    expect(printed).toContain('60000')
    for (const own of ['via-sluice', 'Bearer', bot.clientSecret, tokenOf(bot)]) {
      expect(arrivedText()).not.toContain(own)
    }
  },
)

const renewals = [
  [
    'sluice-token.sh',
    `sluice_token; first=$TOKEN; NOW=$(date +%s)
date() { echo $((NOW + 530)); }; sluice_token; test "$TOKEN" = "$first" || exit 1
date() { echo $((NOW + 550)); }; sluice_token; test "$TOKEN" != "$first" && test -n "$TOKEN"`,
  ],
  [
    'sluice-token.mjs',
    `const first = await bearer()
const now = Date.now()
Date.now = () => now + 530_000
if (await bearer() !== first) process.exit(1)
Date.now = () => now + 550_000
if (await bearer() === first) process.exit(1)`,
  ],
  [
    'sluice_token.py',
    `first, now = bearer(), time.time()
time.time = lambda: now + 530
assert bearer() == first
time.time = lambda: now + 550
assert bearer() != first`,
  ],
] as const

test.each(renewals.filter(([file]) => !file.endsWith('.py') || isFine('python3', ['--version'])))(
  '%s keeps its token, and gets a new one in its last minute',
  async (file, then) => {
    await expect(runProgram(sluice(), file, then)).resolves.toBe('')
  },
)

test('a bot keeps working past the 600 seconds of its token', async () => {
  const { url } = sluice()
  const { bearer } = await importProgram(sluice(), 'sluice-token.mjs')
  if (typeof bearer !== 'function') throw new Error('The program exports no bearer()')
  const ask = async (authorization: string) =>
    (await fetch(`${url}/bg/api/v2/spot/account/assets`, { headers: { authorization } })).status
  vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const first = await bearer()
  expect(await ask(first)).toBe(200)
  vi.setSystemTime(Date.now() + 601_000)
  expect(await ask(first)).toBe(401)
  expect(await ask(await bearer())).toBe(200)
})

/**
 * Switches the bot off and on, which ends its token, and asks again, in the program's own language.
 */
const afterRevocation = {
  'mexc-fetch.mjs': "console.log('after', await call('GET', '/api/v3/account'))",
  'bitget-fetch.mjs': "console.log('after', await call('GET', '/getAccountInfo'))",
  'bitget-api.mjs': "console.log('after', await viaSluice(classic).getSpotAccountAssets())",
  'mexc-ccxt.mjs': "console.log('after', await exchange.fetchBalance())",
  'mexc_requests.py': 'print("after", call("GET", "/api/v3/account"))',
  'bitget_requests.py': 'print("after", call("GET", "/getAccountInfo"))',
  'bitget_ccxt.py': 'print("after", exchange.fetch_balance())',
  'bitget.sh': 'echo "after $(sluice "$SLUICE/api/bg/v1/getAccountInfo")"',
} as const
const revocations = Object.entries(afterRevocation).filter(([file]) =>
  runnable.some((program) => program.file === file),
)

test.each(revocations)('%s gets a new token when its own was revoked', async (file, then) => {
  const { url, bot, asAdmin } = sluice()
  const toggle = `curl -sS -o /dev/null -X PATCH -H 'authorization: ${asAdmin.authorization}' ${url}/api/admin/client-credentials/${bot.id}/toggle`
  const twice = `${toggle} && ${toggle}`
  const revoke = file.endsWith('.py')
    ? `import subprocess\nsubprocess.check_call(${JSON.stringify(twice)}, shell=True)`
    : file.endsWith('.mjs')
      ? `const { execSync } = await import('node:child_process')\nexecSync(${JSON.stringify(twice)})`
      : twice
  const printed = await runProgram(sluice(), file, `${revoke}\n${then}`)
  expect(printed).toMatch(/after[\s\S]*USDT/)
})

test.each([
  ['mx', 'mexc-ccxt.mjs'],
  ['bg', 'bitget-ccxt.mjs'],
] as const)(
  'ccxt, which gives up waiting and tries again by itself, places its order on %s once',
  async (exchange, file) => {
    const { paper } = sluice()
    const slow = { kind: 'slow', delayMs: 900, match: { exchange, method: 'POST' } }
    const printed = await runProgram(
      sluice(),
      file,
      `await fetch('${paper.url}/paper/faults', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '${JSON.stringify(slow)}',
})
exchange.timeout = 300
exchange.options.maxRetriesOnFailure = 9
const { id } = await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 49000)
console.log('second order', id)`,
    )
    expect(printed).toMatch(/second order (C02__)?\d{18}/)
    expect(paper.orders(exchange).filter(({ price }) => price === '49000')).toHaveLength(1)
  },
)

test('Python and shell programs have valid syntax where an interpreter is installed', () => {
  const parsers = [
    { extension: '.py', command: 'python3', args: ['-c', PARSE_PYTHON] },
    { extension: '.sh', command: 'sh', args: ['-n'] },
  ]
  for (const { extension, command, args } of parsers) {
    if (!isFine(command, args)) continue
    const files = botPrograms.filter((file) => file.endsWith(extension))
    expect(files.filter((file) => !isFine(command, args, textOf(file)))).toEqual([])
    expect(isFine(command, args, 'if (')).toBe(false)
  }
})
const PARSE_PYTHON = 'import ast, sys; ast.parse(sys.stdin.read())'

test('no program contains a secret, and only the token program names the gateway', () => {
  for (const file of botPrograms) {
    expect(textOf(file)).not.toMatch(/sls_|eyJ/)
    const isToken = /^sluice.token/.test(file)
    expect([file, /SLUICE_URL.*https:\/\/sluice\.example/.test(textOf(file))]).toEqual([
      file,
      isToken,
    ])
  }
})
