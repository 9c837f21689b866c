import { execFileSync } from 'node:child_process'
import { botSnippets } from 'schema'
import { expect, onTestFinished, test, vi } from 'vitest'
import { importSnippet, runSnippet } from './sdk/run-snippet.ts'
import { sharedSluice, tokenOf } from './sdk/sluice.ts'

// The clock is looked up at each reading, so that a test can set it.
const sluice = sharedSluice({ app: { nowMs: () => Date.now() } })
const programs = botSnippets({ gatewayUrl: 'https://gateway.example' })

/** Python may be absent on a machine, and so may what a Python program imports; for its ccxt there is a stand-in. */
function canRun({ language, code }: (typeof programs)[number]): boolean {
  if (language !== 'python') return true
  const imports = [...code.matchAll(/^import (\w+)$/gm)].map(([, name]) => name)
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

const runnable = programs.filter(({ exchange }) => exchange !== null).filter(canRun)

test.each(runnable)(
  'the program $id reads the market and places one order with the stored key',
  async ({ id, exchange }) => {
    const { paper, bot, arrivedText } = sluice()
    const before = paper.orders().length
    const printed = await runSnippet(sluice(), id)
    expect(paper.orders().slice(before)).toMatchObject([
      {
        exchange,
        account: `sdk-bot-${exchange}`,
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
    'curl-token',
    `sluice_token; first=$TOKEN; NOW=$(date +%s)
date() { echo $((NOW + 530)); }; sluice_token; test "$TOKEN" = "$first" || exit 1
date() { echo $((NOW + 550)); }; sluice_token; test "$TOKEN" != "$first" && test -n "$TOKEN"`,
  ],
  [
    'javascript-token',
    `const first = await bearer()
const now = Date.now()
Date.now = () => now + 530_000
if (await bearer() !== first) process.exit(1)
Date.now = () => now + 550_000
if (await bearer() === first) process.exit(1)`,
  ],
  [
    'python-token',
    `first, now = bearer(), time.time()
time.time = lambda: now + 530
assert bearer() == first
time.time = lambda: now + 550
assert bearer() != first`,
  ],
] as const

test.each(renewals.filter(([id]) => id !== 'python-token' || isFine('python3', ['--version'])))(
  '%s keeps its token, and gets a new one in its last minute',
  async (id, then) => {
    await expect(runSnippet(sluice(), id, then)).resolves.toBe('')
  },
)

test('a bot that runs on past the 600 seconds of its token goes on', async () => {
  const { url } = sluice()
  const { bearer } = await importSnippet(sluice(), 'javascript-token')
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

/** Switches the bot off and on, which ends its token, and asks again, in the program's own language. */
const afterRevocation = {
  'mx-javascript-fetch': "console.log('after', await call('GET', '/api/v3/account'))",
  'bg-javascript-fetch': "console.log('after', await call('GET', '/api/v2/spot/account/assets'))",
  'bg-javascript-bitget-api': "console.log('after', await bitget.getSpotAccountAssets())",
  'mx-javascript-ccxt': "console.log('after', await exchange.fetchBalance())",
  'mx-python-requests': 'print("after", call("GET", "/api/v3/account"))',
  'bg-python-requests': 'print("after", call("GET", "/api/v2/spot/account/assets"))',
  'bg-python-ccxt': 'print("after", exchange.fetch_balance())',
  'bg-curl': 'echo "after $(sluice "$SLUICE/bg/api/v2/spot/account/assets")"',
} as const
const revocations = Object.entries(afterRevocation).filter(([id]) =>
  runnable.some((program) => program.id === id),
)

test.each(revocations)('%s gets a new token when its own was revoked', async (id, then) => {
  const { url, bot, asAdmin } = sluice()
  const toggle = `curl -sS -o /dev/null -X PATCH -H 'authorization: ${asAdmin.authorization}' ${url}/api/admin/client-credentials/${bot.id}/toggle`
  const twice = `${toggle} && ${toggle}`
  const revoke = id.includes('python')
    ? `import subprocess\nsubprocess.check_call(${JSON.stringify(twice)}, shell=True)`
    : id.includes('javascript')
      ? `const { execSync } = await import('node:child_process')\nexecSync(${JSON.stringify(twice)})`
      : twice
  const printed = await runSnippet(sluice(), id, `${revoke}\n${then}`)
  expect(printed).toMatch(/after[\s\S]*USDT/)
})

test.each(['mx', 'bg'] as const)(
  'ccxt, which gives up waiting and tries again by itself, places its order on %s once',
  async (exchange) => {
    const { paper } = sluice()
    const slow = { kind: 'slow', delayMs: 900, match: { exchange, method: 'POST' } }
    const printed = await runSnippet(
      sluice(),
      `${exchange}-javascript-ccxt`,
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

test('a Python program is Python wherever there is one to ask', () => {
  const hasPython = isFine('python3', ['--version'])
  const parse = 'import ast, sys; ast.parse(sys.stdin.read())'
  const wrong = programs
    .filter(({ language }) => language === 'python')
    .filter(({ code }) => hasPython && !isFine('python3', ['-c', parse], code))
  expect(wrong.map(({ id }) => id)).toEqual([])
})

test('no program holds a secret, and each knows the gateway', () => {
  for (const { code, id } of programs) {
    expect(code).not.toMatch(/sls_|eyJ/)
    if (id.endsWith('-token')) expect(code).toContain('https://gateway.example')
  }
})
