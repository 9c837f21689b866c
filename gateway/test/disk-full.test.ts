import { statSync } from 'node:fs'
import { healthReady, mxOrderStatus, mxSubmitOrder, urlOf } from 'schema'
import { expect, test } from 'vitest'
import { createBotClient, signIn } from './campaign/clients.ts'
import { finalStates, readJournal } from './campaign/journal.ts'
import { changeDatabase } from './support/on-disk.ts'
import { ORDER } from './support/place.ts'
import { restarts } from './support/restarts.ts'

/** Room for a few orders beyond what the database has. */
const ROOM_KIB = 160
/** dash counts in blocks of 512 bytes as POSIX has it, bash in blocks of 1,024. */
const LIMIT =
  'unit=512; [ -n "$BASH_VERSION" ] && unit=1024; ulimit -S -f $(($0 * 1024 / unit)); exec "$@"'

test('on a full disk orders are rejected and never sent, reads work, and free space ends it', {
  timeout: 180_000,
}, async () => {
  const { paper, spawn, databasePath } = await restarts({ RATE_LIMIT_PER_SECOND: '20' })
  const first = spawn()
  const client = await createBotClient(await first.url, paper.accounts, 'bot')
  const headers = await signIn(await first.url, client)
  await first.end('SIGTERM')

  const limitKib = Math.ceil(statSync(databasePath).size / 1024) + ROOM_KIB
  const { url: started } = spawn(['sh', '-c', LIMIT, `${limitKib}`])
  const url = await started
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
  const refused = { status: 503, body: { code: 'STORE_UNWRITABLE', outcome: 'not-sent' } }
  for (const response of responses.filter((one) => !placed.includes(one)))
    expect(response).toMatchObject(refused)
  // Calls that hit the rate limit arrived as well, and there may have been no room for their second
  // attempt.
  const arrived = paper.orders('mx').map(({ clientOrderId }) => clientOrderId)
  expect(arrived.toSorted()).toEqual(placed.map(({ body }) => body.clientOrderId).toSorted())

  const { orderId = '' } = paper.orders('mx')[0] ?? {}
  const question = urlOf(mxOrderStatus, { query: { symbol: 'BTC_USDT', orderId } })
  expect((await fetch(`${url}${question}`, { headers })).status).toBe(200)
  // The mark that it writes is smaller than an order, so that a few may still have room.
  await expect.poll(ready, { interval: 500 }).toBe(503)

  // From a process without a limit: what is in the write-ahead log goes into the database.
  changeDatabase(databasePath, 'pragma wal_checkpoint(truncate)')
  expect((await place()).status).toBe(200)
  expect(await ready()).toBe(200)
  const open = () => readJournal(databasePath).filter(({ state }) => !finalStates.has(state))
  await expect.poll(open).toEqual([])
  const answered = readJournal(databasePath).filter(({ state }) => state === 'answered')
  expect(answered).toHaveLength(placed.length + 1)
})

// It said that "the request was not accepted", and nobody had asked for anything.
test('a start on a full disk says so, and what to do', async () => {
  const { spawn } = await restarts()
  const first = spawn()
  await first.url
  await first.end('SIGKILL')
  // Nothing at all; and room for the lock alone.
  for (const limitKib of [0, 2]) {
    const { code, stderr } = await spawn(['sh', '-c', LIMIT, `${limitKib}`]).ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^The database .*the disk is full or fails; make room/),
    })
    expect(stderr).not.toContain('request')
  }
  await spawn().url
})
