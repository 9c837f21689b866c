import { execFile } from 'node:child_process'
import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  getMetrics,
  getOperations,
  healthReady,
  listAudit,
  login,
  mxCancelOrder,
  mxOrderStatus,
  mxSubmitOrder,
  stopExchange,
  urlOf,
} from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { createPaperExchange } from '../paper-exchange/src/paper-exchange.ts'
import { ADMIN, type BotClient, createBotClient } from './campaign/clients.ts'
import { MAIN, spawnGateway } from './campaign/gateway.ts'
import { finalStates, readJournal } from './campaign/journal.ts'
import { startHoldingProxy } from './support/holding-proxy.ts'
import { onDisk } from './support/on-disk.ts'
import { ORDER } from './support/place.ts'
import { CAN_MOUNT, smallDisk } from './support/small-disk.ts'

// A full disk refused tokens and sign-in too, just when an administrator needed the console.

const MB = 1024 ** 2
const RESERVE_MB = 4
const REFUSED = {
  status: 503,
  retryAfter: '10',
  body: { code: 'STORE_UNWRITABLE', outcome: 'not-sent', retryable: true },
}

const SCRIPTS = fileURLToPath(new URL('../../scripts/src/', import.meta.url))

/** A small disk with the place for a database, and what starts gateways on it. */
async function world(sizeMb: number, reserveMb = RESERVE_MB) {
  const disk = await smallDisk(sizeMb)
  const paper = await createPaperExchange()
  onTestFinished(() => paper.close())
  const network = await startHoldingProxy(() => Number(new URL(paper.url).port))
  onTestFinished(() => network.close())
  const exchangeUrl = `http://127.0.0.1:${network.port}`
  const env = {
    ...{ ...onDisk().env, DATABASE_URL: `file:${join(disk.folder, 'sluice.db')}` },
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
    ...{ MEXC_SPOT_URL: exchangeUrl, MEXC_FUTURES_URL: exchangeUrl, BITGET_URL: exchangeUrl },
    ACCOUNT_STREAMS: 'off',
    ...{ UPSTREAM_TIMEOUT_SECONDS: '600', RATE_LIMIT_PER_SECOND: '20' },
    DISK_RESERVE_MB: `${reserveMb}`,
  }
  const database = join(disk.seen, 'sluice.db')
  return {
    disk,
    paper,
    network,
    database,
    reserveBytes: () => statSync(`${database}.reserve`, { throwIfNoEntry: false })?.size,
    /** A command of an operator. */
    async run(script: string) {
      const [program = '', ...rest] = [...disk.through, process.execPath, SCRIPTS + script]
      const options = { env: { ...process.env, ...env, LOG_LEVEL: 'info' } }
      const ended = promisify(execFile)(program, rest, options)
      const { code, stdout, stderr } = await ended.catch((error) => error)
      return { code, output: `${stdout}${stderr}` }
    },
    async start() {
      const lines: string[] = []
      const onLine = (line: string) => lines.push(line)
      const gateway = spawnGateway({ entry: MAIN, env, through: disk.through, onLine })
      onTestFinished(async () => {
        gateway.signal('SIGKILL')
        await gateway.ended
      })
      return { gateway, lines, ...callsTo(await gateway.url) }
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** What people and bots ask of a gateway. */
function callsTo(url: string) {
  async function call(method: string, path: string, headers = {}, body?: unknown) {
    const response = await fetch(`${url}${path}`, {
      ...{ method, headers: { ...headers, ...(body === undefined ? {} : JSON_TYPE) } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      text,
      // The metrics are the only text.
      body: text.startsWith('{') ? JSON.parse(text) : {},
    }
  }
  return {
    url,
    call,
    ready: async () => (await call('GET', healthReady.path)).body.reasons as string[],
    token: ({ clientId, clientSecret }: BotClient) =>
      call('POST', '/auth/token', {}, { clientId, clientSecret }),
    signIn: () => call('POST', login.path, {}, ADMIN),
    place: (headers: object, key?: string) => {
      const keyed = { ...headers, ...(key === undefined ? {} : { 'idempotency-key': key }) }
      return call('POST', mxSubmitOrder.path, keyed, ORDER)
    },
  }
}

const bearer = ({ body }: { body: { token?: string } }) => ({
  authorization: `Bearer ${body.token}`,
})

/** SQLite cannot open the path under which this process sees the disk. */
function copyOf(database: string) {
  const copy = onDisk()
  for (const end of ['', '-wal']) copyFileSync(`${database}${end}`, `${copy.path}${end}`)
  return copy
}

const countRows = (database: string) =>
  copyOf(database).column('select count(*) from request_logs')[0]

test.skipIf(!CAN_MOUNT)(
  'on a full disk people and bots get in, orders end, and new ones are refused until there is space',
  async () => {
    const { disk, paper, network, database, reserveBytes, start } = await world(32)
    const first = await start()
    const bot = await createBotClient(first.url, paper.accounts, 'bot')
    const asBot = bearer(await first.token(bot))
    const placed = await first.place(asBot, 'before')
    expect(placed.status).toBe(200)
    await expect.poll(reserveBytes).toBe(RESERVE_MB * MB)

    network.cutAfter('/api/v1/private/order/create')
    const flying = first.place(asBot, 'flying')
    await expect.poll(() => paper.orders('mx')).toHaveLength(2)
    disk.fill()
    network.heal(true)
    const landed = await flying
    expect(landed).toMatchObject({ status: 200, body: { success: true } })
    expect(reserveBytes()).toBe(0)
    expect(await first.place(asBot, 'flying')).toEqual(landed)

    // None of them gets a row.
    const rows = countRows(database)
    const refused = await Promise.all(Array.from({ length: 200 }, () => first.place(asBot)))
    for (const one of refused) expect(one).toMatchObject(REFUSED)
    const { orderId } = placed.body
    const query = { symbol: 'BTC_USDT', orderId }
    expect((await first.call('GET', urlOf(mxOrderStatus, { query }), asBot)).status).toBe(200)
    expect(countRows(database)).toBe(rows)
    const cancel = await first.call(mxCancelOrder.method, mxCancelOrder.path, asBot, query)
    expect(cancel.status).toBe(200)

    const reason = expect.stringMatching(/^the disk is full: new orders are refused/)
    expect(await first.ready()).toEqual([reason])
    const signedIn = await first.signIn()
    expect(signedIn.status).toBe(200)
    const asAdmin = bearer(signedIn)
    const metrics = await first.call('GET', getMetrics.path)
    expect(metrics.text).toContain('sluice_disk_reserve_used 1')
    const now = await first.call('GET', getOperations.path, asAdmin)
    const alert = { name: 'disk.full', text: expect.stringContaining('Free space on the disk now') }
    expect(now.body.alerts).toContainEqual(expect.objectContaining(alert))
    const stopUrl = urlOf(stopExchange, { params: { exchange: 'bg' } })
    const stopped = await first.call('POST', stopUrl, asAdmin, { reason: 'full disk' })
    expect(stopped.status).toBe(200)
    expect((await first.token(bot)).status).toBe(200)

    first.gateway.signal('SIGKILL')
    await first.gateway.ended
    const next = await start()
    expect(await next.ready()).toEqual([reason])
    const asBotAgain = bearer(await next.token(bot))
    expect(await next.place(asBotAgain)).toMatchObject(REFUSED)
    const asAdminAgain = bearer(await next.signIn())
    const trail = await next.call('GET', listAudit.path, asAdminAgain)
    expect(trail.text).toContain('full disk')

    // The reserve is used up as well.
    disk.fill()
    expect(await next.place(asBotAgain)).toMatchObject(REFUSED)
    await expect
      .poll(async () => (await next.token(bot)).body.code, { interval: 50 })
      .toBe('STORE_UNWRITABLE')

    disk.free()
    await expect.poll(next.ready, { interval: 500 }).toEqual([])
    expect(reserveBytes()).toBe(RESERVE_MB * MB)
    expect((await next.place(asBotAgain)).status).toBe(200)
    expect(paper.orders('mx')).toHaveLength(3)
    const open = () =>
      readJournal(copyOf(database).path).filter(({ state }) => !finalStates.has(state))
    await expect.poll(open).toEqual([])
    const after = await next.call('GET', getOperations.path, asAdminAgain)
    expect(after.body.alerts).not.toContainEqual(expect.objectContaining({ name: 'disk.full' }))
  },
)

test.skipIf(!CAN_MOUNT)(
  'a start on a full disk uses the reserve, and commands do not',
  async () => {
    const { disk, reserveBytes, start, run } = await world(32)
    const first = await start()
    await expect.poll(reserveBytes).toBe(RESERVE_MB * MB)
    first.gateway.signal('SIGTERM')
    await first.gateway.ended
    disk.fill()
    const next = await start()
    expect((await next.signIn()).status).toBe(200)
    expect(reserveBytes()).toBe(0)
    expect(await next.ready()).toEqual([expect.stringContaining('the disk is full')])
    const doctor = await run('doctor.ts')
    expect(doctor.output).toMatch(/the reserve was given up: new orders are refused/)
    expect(doctor.code).toBe(1)
    next.gateway.signal('SIGTERM')
    await next.gateway.ended
    const left = disk.freeBytes()
    const rotation = await run('rotate-key.ts')
    expect(rotation.output).toContain('what is left of it is the reserve of the gateway')
    expect([rotation.code, disk.freeBytes()]).toEqual([1, left])
  },
)

test.skipIf(!CAN_MOUNT)(
  'a start without room for the reserve says so and takes orders',
  async () => {
    const { paper, reserveBytes, start } = await world(32, 16)
    const { url, lines, token, place, ready } = await start()
    const asBot = bearer(await token(await createBotClient(url, paper.accounts, 'bot')))
    expect((await place(asBot)).status).toBe(200)
    expect(await ready()).toEqual([])
    await expect
      .poll(() => lines.join('\n'))
      .toMatch(/no room for the reserve of a full disk.*needs 32 MB/)
    expect(reserveBytes()).toBeUndefined()
  },
)
