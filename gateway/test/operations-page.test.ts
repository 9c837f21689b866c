import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { OperationsHistory, QueueEntry } from 'schema'
import { getStats, type HistoryPoint, type Operations } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { type TestApp, type TestAppOptions, type TestClient, testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { createSetTime } from './support/set-time.ts'
import { tempFolder } from './support/temp-folder.ts'

const TICKER = '/api/bg/v1/spot/market/tickers'
const POSITIONS = '/api/bg/v1/futures/position/all-position'
const SLOW = { RATE_LIMIT_PER_SECOND: '0.5', MAX_QUEUE_WAIT_SECONDS: '300' }

async function gateway(options: TestAppOptions = {}) {
  const world = await testApp(options)
  const admin = async <T>(
    url: string,
    method: 'GET' | 'DELETE' | 'POST' = 'GET',
    payload?: object,
  ) => {
    const call = { method, url: `/api/admin${url}`, headers: world.asAdmin }
    const response = await world.app.inject(payload === undefined ? call : { ...call, payload })
    expect(response.statusCode, response.body).toBeLessThan(300)
    return (response.body === '' ? undefined : response.json()) as T
  }
  const now = () => admin<Operations>('/operations')
  const at = async (exchange: 'mx' | 'bg') => {
    const found = (await now()).exchanges.find((each) => each.exchange === exchange)
    if (found === undefined) throw new Error(`${exchange} is not listed`)
    return found
  }
  return { ...world, admin, now, at }
}

/** A gateway in set time: neither a slot nor a pause of a second or more comes by itself. */
async function inSetTime(options: TestAppOptions = {}) {
  const time = createSetTime()
  const world = await gateway({ ...options, time })
  /** Asks, and lets time pass until the response. */
  const askInTurn = (client: TestClient, url: string) => time.during(ask(world, client, url))
  return { ...world, time, askInTurn }
}

const ask = ({ app }: Pick<TestApp, 'app'>, { headers }: TestClient, url: string) =>
  app.inject({ url, headers })

test('the client that floods comes first, with what waits, its rate and its failures', async () => {
  const world = await inSetTime({ env: SLOW })
  const [quiet, flooder] = [await world.client('quiet'), await world.client('flooder')]
  await world.askInTurn(quiet, POSITIONS)
  const waiting = [
    ask(world, quiet, POSITIONS),
    ...Array.from({ length: 30 }, () => ask(world, flooder, POSITIONS)),
  ]
  await ask(world, flooder, '/api/mx/v1/orderStatus')
  const { clients, exchanges, at } = await eventually(async () => {
    const found = await world.now()
    expect(found.exchanges[1]?.queueSize).toBe(31)
    return found
  })
  expect(clients.map(({ clientId, waiting: count }) => [clientId, count])).toEqual([
    ['flooder', 30],
    ['quiet', 1],
  ])
  expect(clients[0]).toMatchObject({
    ...{ id: flooder.id, active: true, state: 'active', stoppedAt: null, stopReason: null },
    ...{ requestsLastMinute: 31, failedLastMinute: 1, nearestLimit: null },
    lastAddress: '127.0.0.1',
  })
  expect(Date.parse(at) - Date.parse(clients[0]?.lastSeenAt ?? '')).toBeLessThan(60_000)
  const [, bitget] = exchanges
  expect(bitget?.queueByClass).toEqual({ cancel: 0, lookup: 0, order: 0, account: 31, market: 0 })
  // In turn: the quiet one does not wait for the flood.
  expect(bitget?.nextSlots).toHaveLength(12)
  expect(bitget?.nextSlots.slice(0, 2).map(({ clientId }) => clientId)).toContain('quiet')
  const queue = await world.admin<QueueEntry[]>('/queue')
  expect(queue.map(({ position }) => position)).toEqual(queue.map((_, index) => index + 1))
  expect(queue[0]?.id).toBe(bitget?.nextSlots[0]?.id)
  expect(queue[10]?.expectedWaitMs).toBeGreaterThan(queue[9]?.expectedWaitMs ?? Number.NaN)

  const drop = '/queue/bg?clientId=flooder&reason=it+floods'
  expect(await world.admin<{ dropped: number }>(drop, 'DELETE')).toEqual({ dropped: 30 })
  const [, ...rejected] = waiting
  for (const response of await Promise.all(rejected))
    expect(response.json()).toMatchObject({
      ...{ statusCode: 503, code: 'QUEUE_ENTRY_DROPPED', outcome: 'not-sent' },
      message: expect.stringContaining('it floods'),
    })
  expect((await world.at('bg')).queueSize).toBe(1)
})

test('only the requests of one class are dropped when the administrator says so', async () => {
  const world = await inSetTime({ env: SLOW })
  const bot = await world.client()
  await world.askInTurn(bot, POSITIONS)
  const [read, market] = [ask(world, bot, POSITIONS), ask(world, bot, `${TICKER}?symbol=BTCUSDT`)]
  await eventually(async () => expect((await world.at('bg')).queueSize).toBe(2))
  const url = `/queue/bg?clientId=${bot.clientId}`
  expect(await world.admin(`${url}&requestClass=market`, 'DELETE')).toEqual({ dropped: 1 })
  expect((await market).json()).toMatchObject({ code: 'QUEUE_ENTRY_DROPPED', outcome: 'not-sent' })
  expect((await world.time.during(read)).statusCode).toBe(200)
  expect(await world.admin(url, 'DELETE')).toEqual({ dropped: 0 })
})

test('a broken exchange shows why, since when and when it is tried again, and its alert is open', async () => {
  const world = await inSetTime()
  const bot = await world.client()
  expect(await world.at('bg')).toMatchObject({ state: 'running', reason: null, since: null })
  const beganAtMs = world.time.now()
  world.paper.faults.add({ kind: '5xx', status: 503, times: 0, match: { exchange: 'bg' } })
  for (let call = 0; call < 5; call += 1) await ask(world, bot, `${TICKER}?symbol=BTCUSDT`)
  const bitget = await world.at('bg')
  expect(bitget.state).toBe('broken')
  expect(bitget.reason).toBe(bitget.lastError?.message)
  expect(bitget.reason).toMatch(/Bitget/)
  const [sinceMs, nextMs] = [Date.parse(`${bitget.since}`), Date.parse(`${bitget.nextTryAt}`)]
  expect(sinceMs).toBeGreaterThanOrEqual(beganAtMs - 1)
  expect(sinceMs).toBeLessThanOrEqual(world.time.now())
  // The first cool-down; the two clocks are read one after the other.
  expect(Math.abs(nextMs - sinceMs - 5_000)).toBeLessThan(250)
  expect(bitget.sentLastMinute).toBe(5)
  const { alerts, clients } = await world.now()
  expect(alerts).toContainEqual(
    expect.objectContaining({ name: 'exchange.broken', subject: 'bg', text: expect.any(String) }),
  )
  expect(clients).toMatchObject([
    { clientId: bot.clientId, requestsLastMinute: 5, failedLastMinute: 5 },
  ])
  expect(await world.at('mx')).toMatchObject({ state: 'running', lastError: null })
})

test('a pause that the exchange asked for shows its end', async () => {
  const world = await inSetTime()
  const bot = await world.client()
  world.paper.faults.add({ kind: '429', retryAfterSeconds: 60, match: { exchange: 'bg' } })
  void ask(world, bot, `${TICKER}?symbol=BTCUSDT`)
  const bitget = await eventually(async () => {
    const found = await world.at('bg')
    expect(found.state).toBe('paused')
    return found
  })
  expect(bitget.reason).toMatch(/Bitget/)
  const lastsMs = Date.parse(`${bitget.nextTryAt}`) - Date.parse(`${bitget.since}`)
  expect(Math.abs(lastsMs - 60_000)).toBeLessThan(250)
  expect(bitget.rateLimit).toBe(bitget.fullRateLimit / 2)
})

test('accounts that are held back alone are listed, with the next try', async () => {
  const world = await inSetTime()
  const [broken, limited] = [await world.client(), await world.client()]
  const only = (bot: TestClient) => ({ account: `${bot.clientId}-bg` })
  const down = { kind: '5xx', status: 500, times: 0 } as const
  world.paper.faults.add({ ...down, match: only(broken) })
  for (let call = 0; call < 5; call += 1) await ask(world, broken, POSITIONS)
  world.paper.faults.add({ kind: '429', retryAfterSeconds: 60, match: only(limited) })
  void ask(world, limited, POSITIONS)
  const bitget = await eventually(async () => {
    const found = await world.at('bg')
    expect(found.accounts).toHaveLength(2)
    return found
  })
  expect(bitget).toMatchObject({ state: 'running' })
  expect(bitget.accounts).toMatchObject([
    { clientId: broken.clientId, state: 'broken' },
    { clientId: limited.clientId, state: 'paused' },
  ])
  for (const { nextTryAt } of bitget.accounts)
    expect(Date.parse(`${nextTryAt}`)).toBeGreaterThan(world.time.now())

  // Once the exchange fails for everybody, an account of it is no alert of its own.
  const alerts = async () => (await world.now()).alerts.map(({ name, subject }) => [name, subject])
  expect(await alerts()).toEqual([['exchange.account-broken', `bg/${broken.clientId}`]])
  const others = [await world.client(), await world.client()]
  world.paper.faults.add({ ...down, match: { exchange: 'bg' } })
  for (let call = 0; call < 3; call += 1)
    for (const other of others) await ask(world, other, POSITIONS)
  expect(await alerts()).toEqual([['exchange.broken', 'bg']])
})

test('a stop says when it began, what it dropped and what was in flight, and a resume is shown', async () => {
  const logLines: string[] = []
  const world = await inSetTime({ env: SLOW, logLines })
  const bot = await world.client()
  await world.askInTurn(bot, POSITIONS)
  const waiting = [ask(world, bot, POSITIONS), ask(world, bot, `${TICKER}?symbol=BTCUSDT`)]
  await eventually(async () => expect((await world.at('bg')).queueSize).toBe(2))
  const reason = 'strategy misbehaves'
  const stop = { reason, dropped: 2, resumedAt: null }
  const stopped = await world.admin<Record<string, unknown>>('/exchanges/bg/stop', 'POST', {
    reason,
  })
  expect(stopped).toMatchObject({ state: 'stopped', reason, dropped: 2, inFlight: 0 })
  waiting.push(ask(world, bot, POSITIONS))
  for (const response of await Promise.all(waiting))
    expect(response.json()).toMatchObject({
      ...{ code: 'EXCHANGE_STOPPED', outcome: 'not-sent' },
      message: expect.stringContaining(reason),
    })
  const { exchanges } = (await world.call(getStats)).body
  expect(exchanges[1]).toMatchObject({ state: 'stopped', reason: expect.stringContaining(reason) })
  const { startedAt } = stopped
  expect(await world.at('bg')).toMatchObject({
    ...{ state: 'stopped', reason, since: startedAt, stop: { ...stop, startedAt } },
  })
  expect(await world.at('mx')).toMatchObject({ state: 'running', stop: null })
  await world.admin('/exchanges/bg/resume?reason=it+is+repaired', 'POST')
  const bitget = await world.at('bg')
  expect(bitget).toMatchObject({ state: 'running', reason: null, stop: { reason } })
  const resumedMs = Date.parse(`${bitget.stop?.resumedAt}`)
  expect(Math.abs(Date.parse(`${bitget.since}`) - resumedMs)).toBeLessThan(1_000)
  expect((await world.askInTurn(bot, POSITIONS)).statusCode).toBe(200)
  const audited = logLines.map((line) => JSON.parse(line)).filter(({ audit }) => audit === true)
  expect(audited.at(-1)).toMatchObject({ msg: 'exchange resumed', reason: 'it is repaired' })
})

test('a stop of everything shows at each exchange', async () => {
  const world = await gateway()
  await world.admin('/exchanges/bg/stop', 'POST', { reason: 'earlier' })
  await world.admin('/exchanges/bg/resume', 'POST')
  await world.admin('/stop', 'POST', { reason: 'unusual losses' })
  for (const exchange of (await world.now()).exchanges)
    expect(exchange).toMatchObject({
      ...{ state: 'stopped', reason: 'unusual losses', since: exchange.stop?.startedAt },
      stop: { reason: 'unusual losses', resumedAt: null },
    })
})

test('a halted client and its nearest limit are shown', async () => {
  const world = await gateway()
  const bot = await world.client()
  await ask(world, bot, POSITIONS)
  const limits = `/api/admin/client-credentials/${bot.id}/limits`
  await world.app.inject({
    ...{ method: 'PUT', url: limits, headers: world.asAdmin },
    payload: { state: 'reducing', maxOpenOrders: 10, maxDayValue: '250.5' },
  })
  const [reducing] = (await world.now()).clients
  expect(reducing).toMatchObject({
    state: 'reducing',
    nearestLimit: { limit: 'maxDayValue', used: 0, max: 250.5 },
  })
  await world.admin(`/client-credentials/${bot.id}/stop`, 'POST', { reason: 'it floods' })
  const [stopped] = (await world.now()).clients
  expect(stopped).toMatchObject({ state: 'stopped', stopReason: 'it floods' })
  expect(Date.parse(`${stopped?.stoppedAt}`)).toBeGreaterThan(Date.now() - 60_000)
  await world.admin(`/client-credentials/${bot.id}`, 'DELETE')
  expect((await world.now()).clients).toEqual([])
})

const pointsOf = async (
  { admin }: Pick<Awaited<ReturnType<typeof gateway>>, 'admin'>,
  span: string,
): Promise<HistoryPoint[]> => {
  const { exchanges } = await admin<OperationsHistory>(`/operations/history?span=${span}`)
  return exchanges.find(({ exchange }) => exchange === 'bg')?.points ?? []
}
const sum = (points: readonly HistoryPoint[]) => points.reduce((all, { sent }) => all + sent, 0)

test('the history of the queues, a stop and who was seen survive a restart', async () => {
  const path = join(tempFolder(), 'sluice.db')
  const env = {
    ...{ ...SLOW, DATABASE_URL: `file:${path}` },
    MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const fiveMinutesMs = 5 * 60_000
  const stepMs = Math.floor(Date.now() / fiveMinutesMs) * fiveMinutesMs
  const beganAtMs = stepMs + 22_000
  const clock = { nowMs: beganAtMs }
  // The timer of the samples moves this time: while a call waits for its slot, each is taken.
  const set = createSetTime()
  const time = { ...set, now: () => clock.nowMs }
  const closes: (() => Promise<unknown>)[] = []
  const start = () =>
    gateway({
      ...{ env, time, app: { sampleEveryMs: 20 }, paper: { nowMs: set.now } },
      onEnd: (close) => void closes.unshift(close),
    })
  const stop = async () => {
    for (const close of closes.splice(0)) await close()
  }
  onTestFinished(stop)
  const first = await start()
  const bot = await first.client()
  await set.during(ask(first, bot, POSITIONS))
  const waiting = ask(first, bot, `${TICKER}?symbol=BTCUSDT`)
  await eventually(async () => {
    expect((await pointsOf(first, '5m')).at(-1)).toMatchObject({ market: 1 })
  })
  await set.during(waiting)
  // The gateway asked for the exchange's time too.
  const sent = first.paper.received({ exchange: 'bg' }).length
  clock.nowMs += 60_000
  await eventually(async () => {
    const points = await pointsOf(first, '1h')
    expect(points.map(({ at }) => at)).toEqual([
      new Date(stepMs).toISOString(),
      new Date(stepMs + 60_000).toISOString(),
    ])
    expect(sum(points)).toBe(sent)
  })
  await first.admin('/exchanges/mx/stop', 'POST', { reason: 'kept' })
  await stop()

  clock.nowMs += 30_000
  const second = await start()
  await eventually(async () => expect(await pointsOf(second, '5m')).toHaveLength(1))
  const kept = await pointsOf(second, '1h')
  expect(kept).toHaveLength(2)
  expect(kept[0]).toMatchObject({ market: 1, at: new Date(stepMs).toISOString() })
  expect(sum(kept)).toBe(sent)
  expect(await pointsOf(second, '24h')).toMatchObject([
    { at: new Date(stepMs).toISOString(), sent },
  ])
  const since = new Date(beganAtMs + 60_000).toISOString()
  expect(await second.at('mx')).toMatchObject({ state: 'stopped', reason: 'kept', since })
  const lastSeenAt = new Date(beganAtMs).toISOString()
  expect((await second.now()).clients).toMatchObject([
    { clientId: bot.clientId, requestsLastMinute: 0, lastAddress: '127.0.0.1', lastSeenAt },
  ])
  await stop()

  clock.nowMs += 25 * 3_600_000
  const third = await start()
  await eventually(async () => expect(await pointsOf(third, '24h')).toHaveLength(1))
  expect(sum(await pointsOf(third, '24h'))).toBe(0)
  expect((await third.now()).clients).toEqual([])
})

test('what an operator sees contains no key, no secret and no query', async () => {
  const world = await inSetTime({ env: SLOW })
  const bot = await world.client()
  await world.askInTurn(bot, POSITIONS)
  world.paper.faults.add({ kind: '5xx', status: 503, times: 0, match: { exchange: 'mx' } })
  const calls = [
    '/mx/api/v3/openOrders?symbol=BTCUSDT&signature=a-bots-own-signature',
    '/bg/api/v2/spot/account/assets?coin=a-bots-own-query',
    '/bg/api/v2/spot/market/tickers?symbol=a-bots-own-query',
  ]
  for (const url of calls) void ask(world, bot, url)
  await eventually(async () => {
    expect((await world.at('bg')).nextSlots).toHaveLength(2)
    expect((await world.at('mx')).lastError).not.toBeNull()
  })
  const shown = JSON.stringify([await world.now(), await world.admin('/queue')])
  expect(shown).toContain('/bg/api/v2/spot/account/assets')
  const token = bot.headers.authorization.slice('Bearer '.length)
  for (const secret of [...bot.keys, bot.clientSecret, token, 'a-bots-own'])
    expect(shown).not.toContain(secret)
})
