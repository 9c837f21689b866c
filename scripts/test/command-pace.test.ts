import { randomBytes } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CommandCalls } from 'gateway/operations/command-calls.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type TestApp, type TestClient, testApp, testConfig } from '../../gateway/test/app.ts'
import { checkPace, watchSockets } from '../../gateway/test/campaign/pace-book.ts'
import { eventually } from '../../gateway/test/support/eventually.ts'
import { freePort } from '../../gateway/test/support/free-port.ts'
import { scrape } from '../../gateway/test/support/metrics.ts'
import { createDatabase, hasPostgres } from '../../gateway/test/support/postgres.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { runCommand } from './support/run-command.ts'

const RATE = 2
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Settings for a database of its own. The gateway waits before its first call, as it does. */
async function settings(engine: 'sqlite' | 'postgres') {
  const folder = tempFolder()
  return {
    MASTER_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: `${RATE}`,
    DATABASE_URL:
      engine === 'sqlite' ? `file:${join(folder, 'sluice.db')}` : await createDatabase(),
  }
}
const REAL_START = { laneStartDelayMs: 1_000 }

const urlsOf = ({ paper: { url } }: Pick<TestApp, 'paper'>) => ({
  ...{ MEXC_SPOT_URL: url, MEXC_FUTURES_URL: url, BITGET_URL: url },
})

/** More reads than the pace allows, until the returned function is called. */
function keepBusy(app: TestApp['app'], bots: readonly TestClient[]): () => Promise<unknown> {
  let isOver = false
  let count = 0
  const loop = async (path: string, { headers }: TestClient) => {
    while (!isOver) {
      count += 1
      await app.inject({ url: `${path}&limit=${(count % 100) + 1}`, headers })
    }
  }
  const loops = bots.flatMap((bot) => [
    loop('/mx/api/v3/depth?symbol=BTCUSDT', bot),
    loop('/bg/api/v2/spot/market/orderbook?symbol=BTCUSDT', bot),
  ])
  const end = () => {
    isOver = true
    return Promise.all(loops)
  }
  onTestFinished(async () => void (await end()))
  return end
}

/** The reads that show what keys may do: no bot of these tests makes one. */
const keyReads = ({ paper }: Pick<TestApp, 'paper'>) =>
  ['/api/v3/apiKeyInfo', '/api/v2/spot/account/info'].map((path) => paper.received({ path }).length)

async function expectPace(t: TestApp, sockets: ReturnType<typeof watchSockets>): Promise<void> {
  const { judged, violations } = checkPace(t.paper.received(), RATE, sockets)
  expect(violations).toEqual([])
  expect(judged).toBeGreaterThan(5)
  const metrics = await scrape(t.app)
  for (const exchange of ['mx', 'bg'])
    expect(metrics.value('sluice_slot_violations_total', { exchange })).toBe(0)
}

describe.each([
  ['sqlite', 'one gateway'],
  ['postgres', 'two gateways'],
] as const)('%s, %s', (engine, gateways) => {
  test.skipIf(engine === 'postgres' && !hasPostgres)(
    'commands beside a busy gateway send nothing outside of its pace',
    async () => {
      const own = await settings(engine)
      const node = async (port: number) => ({
        ...own,
        ...{ NODE_URL: `https://127.0.0.1:${port}`, NODE_LISTEN: `127.0.0.1:${port}` },
      })
      const env = gateways === 'one gateway' ? own : await node(await freePort())
      const t = await testApp({ env, app: REAL_START })
      const bots = [await t.client('first'), await t.client('second')]
      const standby =
        gateways === 'one gateway'
          ? undefined
          : await testApp({ env: await node(await freePort()) })
      const sockets = watchSockets()
      onTestFinished(() => sockets.stop())
      const end = keepBusy(t.app, bots)

      const commandEnv = { ...own, ...urlsOf(t) }
      const doctor = await runCommand('doctor', commandEnv, [])
      expect(doctor.output).toMatch(/^ok +exchange calls: the running gateway makes them/m)
      for (const line of [
        /^ok +MEXC futures: http:\S+ responded in \d+ ms/m,
        /^warn +MEXC key \(2 of 2 keys\): "second": SPOT_ACCOUNT_READ/m,
        /^\w+ +Bitget key \(2 of 2 keys\): "second": /m,
      ])
        expect(doctor.output).toMatch(line)
      expect(keyReads(t)).toEqual([2, 2])
      await runCommand('admin', commandEnv, ['list'])
      await runCommand('alert-test', commandEnv, [])
      if (engine === 'sqlite')
        await runCommand('backup', commandEnv, [join(tempFolder(), 'backup.db')])
      expect(keyReads(t)).toEqual([2, 2])
      await end()
      await expectPace(t, sockets)
      expect(standby?.paper.received() ?? []).toEqual([])
    },
  )

  test.skipIf(engine === 'postgres' && !hasPostgres)(
    'a gateway that starts while the doctor asks takes its calls over, and the pace holds',
    async () => {
      const env = await settings(engine)
      const ends: (() => Promise<unknown>)[] = []
      const before = await testApp({ env, onEnd: (end) => ends.push(end) })
      onTestFinished(async () => void (await ends[0]?.()))
      const bots = [await before.client('first'), await before.client('second')]
      await ends[1]?.()

      before.paper.clearReceived()
      const sockets = watchSockets()
      onTestFinished(() => sockets.stop())
      const doctor = runCommand('doctor', { ...env, ...urlsOf(before) }, [])
      await eventually(() => expect(before.paper.received()).not.toEqual([]))
      const config = testConfig(before.paper.url, env)
      // Two commands would exceed the pace together.
      await expect(CommandCalls.open(config, { nowMs: Date.now })).rejects.toMatchObject({
        code: 'CALLS_RUNNING',
      })
      const t = await testApp({ env, app: REAL_START, between: async () => before.paper.url })
      const end = keepBusy(t.app, bots)
      const { output } = await doctor
      expect(output).toMatch(/^ok +exchange calls: no gateway is running: the doctor makes them/m)
      expect(output).toMatch(/^\w+ +Bitget key \(2 of 2 keys\): "second": /m)
      expect(output).not.toMatch(/more were not checked|did not ask/)
      await end()
      await expectPace({ ...t, paper: before.paper }, sockets)
    },
  )
})

test('no command has another way to an exchange', () => {
  const makers = globSync('{gateway,scripts}/src/**/*.ts', { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts') && !/\/upstream\/|\/bench\//.test(file))
    .filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('createTransport('))
  expect(makers).toEqual(['gateway/src/operations/command-calls.ts'])
})
