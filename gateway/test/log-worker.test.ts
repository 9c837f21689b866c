import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { LogEntry } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { WorkerLogReader } from '../src/plugins/logs/log-reader.ts'
import { openStore } from '../src/store/sqlite/open.ts'
import { type TestApp, testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { type OnDisk, onDisk } from './support/on-disk.ts'
import { overwritePages } from './support/overwrite-pages.ts'

const MINUTE_MS = 60_000

/** Adds rows of the last hours to a database file: id 1 is the oldest. */
const fill = ({ exec }: OnDisk, rows: number) =>
  exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
    insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, client_id, request_id, exchange)
    select ${Date.now() - MINUTE_MS} - (${rows} - i) * 100, case when i % 3 then 'GET' else 'POST' end,
      '/api/mx/v1/n/' || i, case when i % 10 then 200 else 429 end, i, 0,
      case when i % 2 then 'grid-bot' else '=1+1' end, 'r' || i, 'mx' from n`)

async function world(rows: number) {
  const disk = onDisk()
  const t = await testApp({ env: disk.env })
  fill(disk, rows)
  const list = (query = '') => t.app.inject({ url: `/api/logs${query}`, headers: t.asAdmin })
  const idsOf = async (query = '') => (await list(query)).json().map(({ id }: LogEntry) => id)
  const file = (query = '', headers = {}) =>
    t.app.inject({ url: `/api/logs/export${query}`, headers: { ...t.asAdmin, ...headers } })
  return { ...disk, t, list, idsOf, file }
}

/** Begins a request over a real connection. */
async function request(
  { app, asAdmin }: TestApp,
  url: string,
  headers = {},
): Promise<IncomingMessage> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const sent = get({ port, path: url, headers: { ...asAdmin, ...headers } })
  const [response] = await once(sent, 'response')
  return response
}

test('a page has 100 rows unless another number is asked for, and its total ends at 10,000', async () => {
  const { list, idsOf } = await world(10_500)
  const page = await list()
  expect(page.json()).toHaveLength(100)
  expect(page.json()[0]).toMatchObject({ id: 10_500, endpoint: '/api/mx/v1/n/10500' })
  const many = { 'x-total-count': '10000', 'x-total-count-relation': 'gte' }
  expect(page.headers).toMatchObject(many)
  const last = page.json().at(-1).id
  expect((await idsOf(`?limit=2&before=${last}`))[0]).toBe(last - 1)
  const errors = await list('?status=error&limit=10000')
  expect(errors.json()).toHaveLength(1_050)
  const all = { 'x-total-count': '1050', 'x-total-count-relation': 'eq' }
  expect(errors.headers).toMatchObject(all)
})

test('a code, a whole path and a time narrow the list', async () => {
  const { idsOf, list } = await world(200)
  expect(await idsOf('?code=429&limit=2')).toEqual([200, 190])
  expect(await idsOf('?endpoint=/api/mx/v1/n/77')).toEqual([77])
  const [{ timestamp }] = (await list('?endpoint=/api/mx/v1/n/77')).json()
  const at = Date.parse(timestamp)
  expect(await idsOf(`?from=${at}&to=${at + 200}`)).toEqual([78, 77])
})

test('an export has every match, as CSV and as JSON lines, compressed when that is accepted', async () => {
  const { file, list } = await world(3_000)
  const csv = await file('?search=N/299')
  expect(csv.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': expect.stringMatching(
      /^attachment; filename="gateway-logs-\d{4}-\d\d-\d\d\.csv"$/,
    ),
  })
  const [{ timestamp }] = (await list('?endpoint=/api/mx/v1/n/2999')).json()
  const lines = csv.body.split('\r\n')
  expect(lines[0]).toBe('\ufeffTimestamp,Method,Endpoint,Status,Response Time,Client ID')
  expect(lines).toHaveLength(1 + 11 + 1)
  expect(lines[1]).toBe(
    `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)},GET,/api/mx/v1/n/2999,200,2999,grid-bot`,
  )
  expect(lines[2]).toMatch(/,'=1\+1$/)

  const packed = await file('?format=jsonl', { 'accept-encoding': 'gzip' })
  expect(packed.headers['content-encoding']).toBe('gzip')
  const entries = gunzipSync(packed.rawPayload).toString().trimEnd().split('\n')
  const all = (await list('?limit=10000')).json()
  expect(all).toHaveLength(3_000)
  expect(entries.map((line) => JSON.parse(line))).toEqual(all)
})

test('an export reaches back as far as the log is kept, and writes times in the zone that is asked for', async () => {
  const { exec, file } = await world(1)
  exec(`update request_logs set at_ms = ${Date.UTC(2026, 6, 1, 12)}`)
  expect((await file()).body.split('\r\n')).toHaveLength(2)
  const [, line] = (await file('?from=0&timeZone=Asia/Kolkata')).body.split('\r\n')
  expect(line).toContain('2026-07-01 17:30:00,')
  const rejected = await file('?timeZone=Mars/Olympus')
  expect([rejected.statusCode, rejected.json().code]).toEqual([400, 'TIME_ZONE_UNKNOWN'])
})

test('an export and five lists advance side by side', async () => {
  const { file, list } = await world(20_000)
  const [exported, ...lists] = await Promise.all([
    file('?format=jsonl'),
    ...Array.from({ length: 5 }, (_, i) => list(`?search=n/${i + 1}99`)),
  ])
  expect(exported.body.split('\n')).toHaveLength(20_001)
  for (const page of lists) expect(page.json().length).toBeGreaterThan(10)
})

test('an export whose caller hangs up ends, and those after it are served', async () => {
  const { t, list } = await world(200_000)
  const response = await request(t, '/api/logs/export')
  await once(response, 'data')
  response.destroy()
  expect((await list('?limit=1')).json()).toHaveLength(1)
})

test('a page whose caller hangs up is no error of the gateway', async () => {
  const disk = onDisk()
  const logLines: string[] = []
  const t = await testApp({ env: disk.env, logLines })
  fill(disk, 200_000)
  await t.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = t.app.server.address() as AddressInfo
  const sent = get({ port, path: '/api/logs?search=nowhere', headers: t.asAdmin })
  sent.on('error', () => {})
  t.app.server.once('request', () => setTimeout(() => sent.destroy(), 20))
  await new Promise((resolve) => sent.once('close', resolve))
  const list = await t.app.inject({ url: '/api/logs?limit=1', headers: t.asAdmin })
  expect(list.json()).toHaveLength(1)
  expect(logLines.filter((line) => line.includes('AbortError'))).toEqual([])
})

// Half a file that ends like a whole one would be taken for the whole log.
test.each(['identity', 'gzip'])(
  'an export (%s) that cannot be read to its end is cut off, and the damage is reported',
  async (encoding) => {
    const { t, path } = await world(100_000)
    overwritePages(path, 'request_logs', (pages) => pages.slice(0, pages.length / 2))
    const response = await request(t, '/api/logs/export', { 'accept-encoding': encoding })
    expect(response.statusCode).toBe(200)
    let bytes = 0
    response.on('data', (data: Buffer) => {
      bytes += data.length
    })
    const [error] = await once(response, 'error')
    expect([error.code, response.complete]).toEqual(['ECONNRESET', false])
    expect(bytes).toBeGreaterThan(100_000)
    const ready = await t.app.inject('/health/ready')
    expect([ready.statusCode, ready.body]).toEqual([503, expect.stringContaining('damaged')])
  },
)

/** A database of its own, read by a worker of its own. */
function reader(rows: number, idleMs?: number) {
  const disk = onDisk()
  const { path } = disk
  openStore(path).close()
  fill(disk, rows)
  const logs = new WorkerLogReader({
    path,
    toReadError: (message, code) => new Error(`${code}: ${message}`),
    ...(idleMs === undefined ? {} : { idleMs }),
  })
  onTestFinished(() => logs.close())
  const read = async (signal = new AbortController().signal) =>
    JSON.parse((await logs.page({ sinceMs: 0, limit: 5, countMax: 9 }, signal)).body.toString())
  return { path, logs, read }
}

test('a page that nobody waits for is given up, and the worker serves the next one', async () => {
  const { logs, read } = reader(100_000)
  const hungUp = new AbortController()
  const page = logs.page(
    { sinceMs: 0, limit: 5, countMax: 9, search: 'no such thing' },
    hungUp.signal,
  )
  hungUp.abort(new Error('hung up'))
  await expect(page).rejects.toThrow('hung up')
  expect(await read()).toHaveLength(5)
})

test('the reader takes no more of an export than the caller has room for', async () => {
  const { logs } = reader(100_000)
  const stream = logs.export({ filter: { sinceMs: 0 }, format: 'jsonl', timeZone: 'UTC' })
  stream.read(0)
  await once(stream, 'readable')
  expect(stream.readableLength).toBeLessThan(200_000)
  expect((await text(stream)).split('\n')).toHaveLength(100_001)
})

test('when the worker ends, what it was reading fails, and the next request starts another', async () => {
  const { logs, read } = reader(100_000)
  const stream = logs.export({ filter: { sinceMs: 0 }, format: 'csv', timeZone: 'UTC' })
  stream.read(0)
  await once(stream, 'readable')
  const broken = expect(text(stream)).rejects.toThrow('The gateway stops')
  await logs.close()
  await broken
  expect(await read()).toHaveLength(5)
})

test('a worker without work ends, and the next request starts another', async () => {
  const { logs, read } = reader(10, 0)
  expect(await read()).toHaveLength(5)
  await eventually(() => expect(logs.isRunning).toBe(false))
  expect(await read()).toHaveLength(5)
})

test('a database that the worker cannot open fails its requests', async () => {
  const logs = new WorkerLogReader({
    path: onDisk().path,
    toReadError: (_message, code) => new Error(code),
  })
  await expect(
    logs.page({ sinceMs: 0, limit: 5, countMax: 9 }, new AbortController().signal),
  ).rejects.toThrow('SQLITE_CANTOPEN')
})
