import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { TestClient } from '../app.ts'
import { botPrograms, botsFolder, hasModules, importProgram, runProgram } from './run-program.ts'
import { sharedSluice, tokenOf } from './sluice.ts'

// The clock is looked up at each reading, so that a test can set it.
const sluice = sharedSluice()
const textOf = (file: string) => readFileSync(join(botsFolder, file), 'utf8')
const hasPython = hasModules([])

/** Python may be absent, and so may what a program imports; for its ccxt there is a stand-in. */
function canRun(file: string): boolean {
  if (!file.endsWith('.py')) return true
  const imports = [...textOf(file).matchAll(/^import (\w+)$/gm)].map(([, name]) => `${name}`)
  return hasModules(imports.filter((name) => name !== 'ccxt'))
}

/**
 * All programs except the parts that others import, which are named `sluice…`, and the one that
 * needs a door: own-door.test.ts.
 */
const complete = botPrograms.flatMap((file) => {
  if (file === 'mexc-api-sdk.mjs') return []
  if (file.startsWith('mexc')) return [{ file, exchange: 'mx' }]
  return file.startsWith('bitget') ? [{ file, exchange: 'bg' }] : []
})
const runnable = complete.filter(({ file }) => canRun(file))

test('every program is complete, or is a part that a complete one imports or a test runs', () => {
  const parts = botPrograms.filter((file) => !complete.some((program) => program.file === file))
  expect(complete).toHaveLength(13)
  expect(parts.toSorted()).toEqual([
    'mexc-api-sdk.mjs', // own-door.test.ts
    'sluice-bitget.mjs',
    'sluice-ccxt.mjs',
    'sluice-door.mjs', // own-door.test.ts
    'sluice-token.mjs',
    'sluice-token.sh',
    'sluice.py',
    'streams-bitget-api.mjs', // exchange-sockets-sdk.test.ts
    'streams-ccxt.mjs', // exchange-sockets-sdk.test.ts
    'streams-events.mjs', // stream-programs.test.ts
    'streams_events.py', // stream-programs.test.ts
  ])
})

/** Asks again after the token of the bot has been revoked, in the program's own language. */
const afterRevocation: Readonly<Record<string, string>> = {
  'mexc-fetch.mjs': "console.log('after', await call('GET', '/api/v3/account'))",
  'bitget-fetch.mjs': "console.log('after', await call('GET', '/getAccountInfo'))",
  'bitget-api.mjs': "console.log('after', (await unified.getBalances()).data.assets)",
  'mexc_requests.py': 'print("after", call("GET", "/api/v3/account"))',
  'bitget_requests.py': 'print("after", call("GET", "/getAccountInfo"))',
  'bitget_ccxt.py': 'print("after", exchange.fetch_balance())',
  'bitget.sh': 'echo "after $(sluice "$SLUICE/api/bg/v1/getAccountInfo")"',
}

interface Run {
  readonly file: string
  readonly exchange: string
  readonly account: string
  /** Follows the program; without it, the program runs unchanged, as a process of its own. */
  readonly revokes: boolean
}

/** Each program unchanged, and once more on an account of the other kind or with a new token. */
const runs: readonly Run[] = runnable.flatMap(({ file, exchange }) => {
  const first = { file, exchange, account: exchange === 'bg' ? 'classic' : 'only', revokes: false }
  const revokes = file in afterRevocation
  const isAgain = revokes || (exchange === 'bg' && !/ccxt.*[.]mjs$/.test(file))
  const account = exchange === 'bg' ? 'unified' : 'only'
  return isAgain ? [first, { file, exchange, account, revokes }] : [first]
})
const asText = ({ file, account, revokes }: Run) => `${file} ${account} ${revokes}`

/** What each run has printed, or the error that it ended with; three of them at the same time. */
const printed = new Map<string, { readonly bot: TestClient; readonly text: unknown }>()
beforeAll(async () => {
  const waiting = [...runs]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { file, account, revokes } = next
      const bot = await sluice().client(undefined, { unified: account === 'unified' })
      if (file.includes('plain')) await allowSecret(bot)
      const then = revokes ? `${revocationOf(bot, file)}\n${afterRevocation[file]}` : ''
      const text = await runProgram({ ...sluice(), bot }, file, then).catch((error) => error)
      printed.set(asText(next), { bot, text })
    }
  }
  await Promise.all([work(), work(), work()])
})

/** Lets the bot send its id and secret in place of a token. */
async function allowSecret({ id }: TestClient) {
  const { app, asAdmin } = sluice()
  const url = `/api/admin/client-credentials/${id}/limits`
  await app.inject({ method: 'PATCH', url, headers: asAdmin, payload: { secretAsBearer: true } })
}

/** Switches the bot off and on, which ends its token, in the program's own language. */
function revocationOf(bot: TestClient, file: string): string {
  const { url, asAdmin } = sluice()
  const toggle = `curl -sS -o /dev/null -X PATCH -H 'authorization: ${asAdmin.authorization}' ${url}/api/admin/client-credentials/${bot.id}/toggle`
  const twice = `${toggle} && ${toggle}`
  if (file.endsWith('.py')) {
    return `import subprocess\nsubprocess.check_call(${JSON.stringify(twice)}, shell=True)`
  }
  if (!file.endsWith('.mjs')) return twice
  return `const { execSync } = await import('node:child_process')\nexecSync(${JSON.stringify(twice)})`
}

test.each(runs)(
  '$file reads the market and places one order with the stored key, on the $account account (its token revoked: $revokes)',
  (run) => {
    const { paper, arrivedText } = sluice()
    const { bot, text } = printed.get(asText(run)) ?? {}
    if (bot === undefined) throw new Error(`${run.file} did not run`)
    const account = `${bot.clientId}-${run.exchange}`
    expect(text).toEqual(expect.stringContaining('60000'))
    expect(paper.orders().filter((order) => order.account === account)).toMatchObject([
      { exchange: run.exchange, symbol: 'BTCUSDT', price: '50000', size: '0.001' },
    ])
    if (run.revokes) expect(text).toMatch(/after[\s\S]*USDT/)
    for (const own of ['via-sluice', 'Bearer', bot.clientSecret, tokenOf(bot)]) {
      expect(arrivedText()).not.toContain(own)
    }
  },
)

const renewals = [
  [
    'sluice-token.sh',
    `NOW=$(date +%s)
date() { echo $NOW; }; sluice_token; first=$TOKEN
date() { echo $((NOW + 530)); }; sluice_token; test "$TOKEN" = "$first" || exit 1
date() { echo $((NOW + 550)); }; sluice_token; test "$TOKEN" != "$first" && test -n "$TOKEN"`,
  ],
  [
    'sluice.py',
    `now = time.time()
time.time = lambda: now
first = bearer()
time.time = lambda: now + 530
assert bearer() == first
time.time = lambda: now + 550
assert bearer() != first
os.environ["SLUICE_CLIENT_SECRET"] = "a guess"
try:
    bearer(bearer())
    raise SystemExit("a guess got a token")
except urllib.error.HTTPError as error:
    assert "CLIENT_SECRET_INVALID" in str(error)`,
  ],
] as const

test.each(renewals.filter(([file]) => hasPython || !file.endsWith('.py')))(
  '%s keeps its token, gets a new one in its last minute, and in Python says why it gets none',
  async (file, then) => {
    await expect(runProgram(sluice(), file, then)).resolves.toBe('')
  },
)

test('sluice-token.mjs keeps its token, gets a new one in its last minute, and works past its 600 seconds', async () => {
  const { url } = sluice()
  const program = await importProgram(sluice(), 'sluice-token.mjs')
  const { bearer } = program as typeof import('../../../docs/bots/sluice-token.mjs')
  const ask = async (authorization: string) =>
    (await fetch(`${url}/bg/api/v2/spot/account/assets`, { headers: { authorization } })).status
  const startMs = Date.now()
  vi.useFakeTimers({ now: startMs, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const first = await bearer()
  expect(await ask(first)).toBe(200)
  vi.setSystemTime(startMs + 530_000)
  expect(await bearer()).toBe(first)
  vi.setSystemTime(startMs + 550_000)
  expect(await bearer()).not.toBe(first)
  vi.setSystemTime(startMs + 601_000)
  expect(await ask(first)).toBe(401)
  expect(await ask(await bearer())).toBe(200)
})

test('Python and shell programs have valid syntax where an interpreter is installed', () => {
  const filesOf = (extension: string) => botPrograms.filter((file) => extname(file) === extension)
  const isFine = (command: string, args: readonly string[], input: string) =>
    spawnSync(command, args, { input }).status === 0
  for (const [extension, command, args] of [
    ['.py', 'python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())']],
    ['.sh', 'sh', ['-n']],
  ] as const) {
    if (!isFine(command, args, '')) continue
    const broken = filesOf(extension).filter((file) => !isFine(command, args, textOf(file)))
    expect(broken).toEqual([])
    expect(isFine(command, args, 'if (')).toBe(false)
  }
})

test('no program contains a secret, and only those that others build on name the gateway', () => {
  for (const file of botPrograms) {
    expect(textOf(file)).not.toMatch(/sls_|eyJ/)
    const isToken = /^sluice(-token|\.py)|plain/.test(file)
    expect([file, /SLUICE_URL.*https:\/\/sluice\.example/.test(textOf(file))]).toEqual([
      file,
      isToken,
    ])
  }
})
