import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createPaperExchange } from 'paper-exchange/paper-exchange.ts'
import { mxSubmitOrder } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { ADMIN, createBotClient, signIn } from '../../gateway/test/campaign/clients.ts'
import { freePort } from '../../gateway/test/support/free-port.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
const SLOW_MS = 500

interface Started {
  readonly npm: ChildProcess & { pid: number }
  /** What it said that matches, once it does. */
  readonly said: (pattern: RegExp) => Promise<string>
}

/**
 * An npm script in a process group of its own, as a terminal starts it; the group is ended with the
 * test.
 */
function startNpm(args: readonly string[], env: Record<string, string>): Started {
  const npm = spawn('npm', args, {
    env: { PATH: process.env.PATH, HOME: tempFolder(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const { pid } = npm
  if (pid === undefined) throw new Error('npm did not start')
  onTestFinished(() => {
    if (groupRuns(pid)) process.kill(-pid, 'SIGKILL')
  })
  let output = ''
  npm.stdout.on('data', (text) => {
    output += text
  })
  npm.stderr.on('data', (text) => {
    output += text
  })
  return {
    npm: Object.assign(npm, { pid }),
    async said(pattern) {
      await expect.poll(() => output, { timeout: 200_000, interval: 20 }).toMatch(pattern)
      return pattern.exec(output)?.[1] ?? ''
    },
  }
}

function groupRuns(pid: number): boolean {
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

/** npm ended well, nothing that it started is left, and another program can take the port. */
async function expectGone({ npm }: Started, url: string): Promise<void> {
  if (npm.exitCode === null && npm.signalCode === null) await once(npm, 'exit')
  expect([npm.exitCode, npm.signalCode]).toEqual([0, null])
  expect(groupRuns(npm.pid)).toBe(false)
  const server = createServer().listen(Number(new URL(url).port), '127.0.0.1')
  await once(server, 'listening')
  server.close()
}

const [DASH, BASH] = ['/bin/dash', '/bin/bash'] as const
// Every two of shell, signal and target meet once.
const ways = [
  { shell: DASH, signal: 'SIGTERM', target: 'npm alone' },
  { shell: DASH, signal: 'SIGINT', target: 'the process group' },
  { shell: BASH, signal: 'SIGINT', target: 'npm alone' },
  { shell: BASH, signal: 'SIGTERM', target: 'the process group' },
] as const

// npm alone: npm signals the shell, dash did not pass it on, and the gateway stayed. The group:
// npm's copy is a second signal, which cut the order off.
test.for(ways)(
  '$signal to $target under $shell stops npm start after the order in flight',
  async (way, { skip }) => {
    const { shell, signal, target } = way
    skip(!existsSync(shell), `there is no ${shell} on this machine`)
    const paper = await createPaperExchange()
    onTestFinished(() => paper.close())
    const started = startNpm(['start'], {
      ...{ npm_config_script_shell: shell, PORT: `${await freePort()}` },
      DATABASE_URL: `file:${join(tempFolder(), 'sluice.db')}`,
      ...{ MASTER_KEY: randomBytes(32).toString('base64'), ADMIN_EMAIL: ADMIN.email },
      ...{ ADMIN_PASSWORD: ADMIN.password, MEXC_SPOT_URL: paper.url, MEXC_FUTURES_URL: paper.url },
      BITGET_URL: paper.url,
    })
    const url = await started.said(/listening at (http:\/\/[\d.:]+)/)
    const headers = await signIn(url, await createBotClient(url, paper.accounts, 'bot'))
    paper.faults.add({ kind: 'slow', delayMs: SLOW_MS, match: { method: 'POST' } })
    const placed = fetch(`${url}${mxSubmitOrder.path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(ORDER),
    })
    await expect
      .poll(() => paper.received({ path: '/api/v1/private/order/create' }).length, {
        timeout: 200_000,
        interval: 10,
      })
      .toBe(1)

    process.kill(target === 'npm alone' ? started.npm.pid : -started.npm.pid, signal)
    const response = await placed
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ success: true })
    expect(paper.orders('mx')).toHaveLength(1)
    await expectGone(started, url)
  },
)

test.skipIf(!existsSync(DASH))(
  'SIGTERM to npm alone under dash stops the paper exchange',
  async () => {
    const started = startNpm(['run', 'paper-exchange'], {
      npm_config_script_shell: DASH,
      PORT: `${await freePort()}`,
    })
    const url = await started.said(/Paper exchange: (http:\/\/[\d.:]+)/)
    await started.said(/Make a fault/)
    process.kill(started.npm.pid, 'SIGTERM')
    await expectGone(started, url)
  },
)

test('every command that runs until it is stopped takes the place of the shell that npm starts', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const name of ['start', 'demo', 'paper-exchange'])
    expect(scripts[name]).toMatch(/^exec node /)
})
