import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { healthReady, mxOrderStatus, mxSubmitOrder, urlOf } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { createPaperExchange } from '../paper-exchange/src/paper-exchange.ts'
import { ADMIN, createBotClient, signIn } from './campaign/clients.ts'
import { type Gateway, MAIN, spawnGateway } from './campaign/gateway.ts'
import { finalStates, readJournal } from './campaign/journal.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
/** Room for a few orders beyond what the database has. */
const ROOM_KIB = 160
/** dash counts in blocks of 512 bytes as POSIX has it, bash in blocks of 1,024. */
const LIMIT =
  'unit=512; [ -n "$BASH_VERSION" ] && unit=1024; ulimit -S -f $(($0 * 1024 / unit)); exec "$@"'

test('on a full disk orders are rejected and never sent, reads work, and free space ends it', {
  timeout: 180_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-full-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const paper = await createPaperExchange()
  onTestFinished(() => paper.close())
  const database = join(folder, 'sluice.db')
  const env = {
    DATABASE_URL: `file:${database}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    MEXC_SPOT_URL: paper.url,
    MEXC_FUTURES_URL: paper.url,
    BITGET_URL: paper.url,
    RATE_LIMIT_PER_SECOND: '20',
  }
  const first = endedWithTest(spawnGateway({ entry: MAIN, env }))
  const client = await createBotClient(await first.url, paper.accounts, 'bot')
  const headers = await signIn(await first.url, client)
  first.signal('SIGTERM')
  await first.ended

  const limitKib = Math.ceil(statSync(database).size / 1024) + ROOM_KIB
  const through = ['sh', '-c', LIMIT, `${limitKib}`]
  const url = await endedWithTest(spawnGateway({ entry: MAIN, env, through })).url
  const place = async () => {
    const response = await fetch(`${url}${mxSubmitOrder.path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(ORDER),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const ready = async () => (await fetch(`${url}${healthReady.path}`)).status

  const responses = [await place()]
  while (responses.at(-1)?.status === 200 && responses.length < 500) responses.push(await place())
  responses.push(await place(), await place())
  const placed = responses.filter(({ status }) => status === 200)
  expect(placed.length).toBeGreaterThan(0)
  for (const { status, body } of responses)
    if (status !== 200)
      expect({ status, body }).toMatchObject({
        status: 503,
        body: { code: 'STORE_UNWRITABLE', outcome: 'not-sent' },
      })
  // Calls that hit the rate limit arrived as well, and there may have been no room for their second
  // attempt.
  expect(
    paper
      .orders('mx')
      .map(({ clientOrderId }) => clientOrderId)
      .toSorted(),
  ).toEqual(placed.map(({ body }) => body.clientOrderId).toSorted())

  const { orderId = '' } = paper.orders('mx')[0] ?? {}
  const question = urlOf(mxOrderStatus, { query: { symbol: 'BTC_USDT', orderId } })
  expect((await fetch(`${url}${question}`, { headers })).status).toBe(200)
  // The mark that it writes is smaller than an order, so that a few may still have room.
  await expect.poll(ready, { interval: 500 }).toBe(503)

  makeRoom(database)
  expect((await place()).status).toBe(200)
  expect(await ready()).toBe(200)
  await expect
    .poll(() => readJournal(database).filter(({ state }) => !finalStates.has(state)), {
      timeout: 60_000,
    })
    .toEqual([])
  const answered = readJournal(database).filter(({ state }) => state === 'answered')
  expect(answered).toHaveLength(placed.length + 1)
})

// It said that "the request was not accepted", and nobody had asked for anything.
test('a start on a full disk says so, and what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-full-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = {
    DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const first = endedWithTest(spawnGateway({ entry: MAIN, env }))
  await first.url
  first.signal('SIGKILL')
  await first.ended
  // Nothing at all; and room for the lock alone.
  for (const limitKib of [0, 2]) {
    const through = ['sh', '-c', LIMIT, `${limitKib}`]
    const { code, stderr } = await endedWithTest(spawnGateway({ entry: MAIN, env, through })).ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^The database .*the disk is full or fails; make room/),
    })
    expect(stderr).not.toContain('request')
  }
  await endedWithTest(spawnGateway({ entry: MAIN, env })).url
})

/** Moves what is in the write-ahead log into the database, from a process without a limit. */
function makeRoom(database: string): void {
  const db = new Database(database)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

function endedWithTest(gateway: Gateway): Gateway {
  onTestFinished(async () => {
    gateway.signal('SIGKILL')
    await gateway.ended
  })
  return gateway
}
