import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { saveApiKey } from 'schema'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { NewPaperAccount } from '../paper-exchange/src/account.ts'
import { examine } from '../src/operations/doctor/examine.ts'
import type { Finding } from '../src/operations/doctor/finding.ts'
import { recordGoodBackup } from '../src/operations/record-backup.ts'
import { systemTime, type Time } from '../src/time.ts'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { changeDatabase } from './support/on-disk.ts'
import { overwriteBytes, overwritePages } from './support/overwrite-pages.ts'
import { selfSigned } from './support/self-signed.ts'
import { shared } from './support/shared-app.ts'
import { tempFolder } from './support/temp-folder.ts'

type Env = Readonly<Record<string, string>>
type OnEnd = (close: () => unknown) => void

/** What of a gateway lies in a folder, and the settings for it. */
const patientIn = (folder: string, more: Env) => {
  const path = join(folder, 'sluice.db')
  return {
    ...{ path, keyFile: join(folder, 'master.key') },
    env: { DATABASE_URL: `file:${path}`, ...more },
  }
}
type Patient = ReturnType<typeof patientIn>

/** A gateway with a database file and a key file, at work. */
async function patient(onEnd: OnEnd = (end) => onTestFinished(async () => void (await end()))) {
  const folder = join(tempFolder(onEnd), 'data')
  const { env } = patientIn(folder, { MASTER_KEY: '', ACCOUNT_STREAMS: 'on' })
  const t = await testApp({ env, onEnd })
  await t.app.listen({ host: '127.0.0.1', port: 0 })
  const { url } = t.paper
  const { port } = t.app.server.address() as AddressInfo
  const upstream = { MEXC_SPOT_URL: url, MEXC_FUTURES_URL: url, BITGET_URL: url }
  return { ...t, ...patientIn(folder, { PORT: `${port}`, ...upstream }) }
}

/** What has nothing but other settings, another clock, or other exchanges. */
const well = shared(async (onEnd) => {
  const t = await patient(onEnd)
  await t.client()
  await t.app.close()
  return t
})

// Its exchange allows 20 calls for its time in two seconds: a quick machine makes more.
beforeEach(() => well().paper.reset())

/** A copy of it, which a test changes. */
function copyOfWell(): Patient {
  const folder = join(tempFolder(), 'data')
  cpSync(dirname(well().path), folder, { recursive: true })
  chmodSync(folder, 0o700)
  return patientIn(folder, { ...well().env, DATABASE_URL: `file:${join(folder, 'sluice.db')}` })
}

/** The time limit of the doctor's calls. A test finds it by its length, which no other has. */
const LIMIT_MS = 66_666

async function findingsOf(
  env: Env,
  nowMs: () => number = Date.now,
  time: Time = skippingTime(),
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for await (const finding of examine(env, { nowMs, timeoutMs: LIMIT_MS, time }))
    findings.push(finding)
  return findings
}

/** Skips the waits of the pace: they take no time. Limits are longer, and watches shorter. */
function skippingTime(): Time {
  let skippedMs = 0
  const skip = (ms: number) => {
    skippedMs += ms
  }
  return {
    ...systemTime,
    monotonic: () => performance.now() + skippedMs,
    setTimeout: (fn, ms) =>
      ms <= 100 || ms > 2_000
        ? systemTime.setTimeout(fn, ms)
        : systemTime.setTimeout(() => {
            skip(ms)
            fn()
          }, 0),
    sleep: async (ms) => skip(ms),
  }
}

const findingOf = async (env: Env, subject: string) =>
  (await findingsOf(env)).find((one) => one.subject === subject)
const troubles = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== 'ok')

/** Replaces a client's keys by others of accounts that a test describes. */
async function storeKeys(
  { call, paper }: TestApp,
  clientId: string,
  account: Partial<NewPaperAccount> & Pick<NewPaperAccount, 'exchange'>,
) {
  const { exchange } = account
  const keys = {
    ...{ apiKey: `${exchange}-own-key`, apiSecret: `${exchange}-own-secret` },
    ...(exchange === 'bg' ? { passphrase: 'own-words' } : {}),
  }
  paper.accounts.add({ name: `own-${exchange}`, ...keys, ...account })
  await call(saveApiKey, { body: { clientId, exchange, ...keys } })
  return Object.values(keys)
}
const BOUND = { ipWhitelist: ['127.0.0.1'] }

test('a healthy gateway has only good findings, running or stopped', async () => {
  const t = await patient()
  const bot = await t.client()
  const boundKeys = [
    ...(await storeKeys(t, bot.clientId, { exchange: 'mx', ...BOUND })),
    ...(await storeKeys(t, bot.clientId, { exchange: 'bg', ...BOUND })),
  ]
  await recordGoodBackup(t.path, Date.now())
  const running = await findingsOf(t.env, Date.now, systemTime)
  expect(troubles(running)).toEqual([])
  expect(running.map(({ subject }) => subject)).toEqual([
    ...['Sluice', 'Node.js', 'configuration', 'rate limit', 'rate limit'],
    ...['database', 'files', 'disk', 'disk reserve', 'gateway', 'master key'],
    ...['stored secrets', 'administrators', 'orders', 'audit trail', 'backup', 'exchange calls'],
    ...['MEXC spot', 'clock', 'MEXC futures', 'clock', 'Bitget', 'clock'],
    ...['MEXC key', 'Bitget key', 'MEXC streams', 'Bitget streams'],
  ])
  expect(running).toContainEqual(
    expect.objectContaining({ found: expect.stringContaining('one is running and ready') }),
  )
  expect(running).toContainEqual(expect.objectContaining({ found: 'all 2 can be opened' }))
  const masterKey = readFileSync(t.keyFile, 'utf8').trim()
  const secrets = [...bot.keys, ...boundKeys, bot.clientSecret, ADMIN.password, masterKey]
  for (const secret of secrets) expect(JSON.stringify(running)).not.toContain(secret)

  await t.app.close()
  const before = readFileSync(t.path)
  const stopped = await findingsOf(t.env, Date.now, systemTime)
  expect(troubles(stopped)).toEqual([])
  expect(readFileSync(t.path).equals(before)).toBe(true)
})

/** What somebody with the database file does first. */
const UNGUARDED = 'drop trigger audit_entries_changed; drop trigger audit_entries_removed'

const changed = (sql: string) => (p: Patient) => changeDatabase(p.path, sql)
const newKey = () => randomBytes(32).toString('base64')
const TOO_NEW = `insert into __drizzle_migrations (hash, created_at) values ('later', 9e15)`
const LOST_KEY = `update api_keys set key_id = 'gone', api_key_sealed = 'v1.gone.AAAA'
  where exchange = 'mx'`
const UNKNOWN_ORDER = `insert into order_journal
  (id, client_ref, client_id, exchange, method, endpoint, fingerprint, state, created_at_ms)
  values ('o', 1, 'bot-1', 'mx', 'POST', '/x', 'f', 'unknown', 0)`

/** Clients that may send their secret as bearer, of which one is bound to an address. */
const SECRETS_AS_BEARERS = [
  ['open', {}],
  ['watched', { allowedIps: ['127.0.0.1'], mode: 'shadow' }],
  ['bound', { allowedIps: ['127.0.0.1'] }],
]
  .map(([name, more]) => {
    const limits = JSON.stringify({ secretAsBearer: true, ...Object(more) })
    const columns = 'secret_hash, secret_preview, created_at_ms, updated_at_ms'
    return `insert into clients (client_id, limits, ${columns})
      select '${name}', '${limits}', ${columns} from clients limit 1`
  })
  .join(';')

interface Illness {
  readonly what: string
  readonly is: readonly ['warn' | 'fail', subject: string, found: RegExp]
  readonly fall?: (patient: Patient) => void
  readonly env?: Env
}

test.each<Illness>([
  {
    ...{ what: 'a database that others may read', is: ['warn', 'files', /mode 644/] },
    fall: (p) => chmodSync(p.path, 0o644),
  },
  {
    ...{ what: 'a key file that others may read', is: ['fail', 'master key', /chmod 600/] },
    fall: (p) => chmodSync(p.keyFile, 0o640),
  },
  {
    ...{ what: 'another master key', is: ['fail', 'master key', /is sealed with the master key/] },
    fall: (p) => writeFileSync(p.keyFile, newKey()),
  },
  {
    ...{ what: 'a rotation that was begun', is: ['warn', 'master key', /not finished/] },
    fall: (p) => appendFileSync(p.keyFile, `${newKey()}\n`),
  },
  {
    what: 'an exchange key of a master key that is gone',
    ...{ is: ['warn', 'stored secrets', /1 of 2 cannot be opened/], fall: changed(LOST_KEY) },
  },
  {
    what: 'an entry of the audit trail that was changed',
    is: ['fail', 'audit trail', /from entry 2 on .* it was changed/],
    fall: changed(`${UNGUARDED}; update audit_entries set actor = 'x' where id = 2`),
  },
  {
    what: 'an entry of the audit trail that was removed',
    is: ['fail', 'audit trail', /from entry 3 on .* the entries 2 to 2 are missing/],
    fall: changed(`${UNGUARDED}; delete from audit_entries where id = 2`),
  },
  {
    what: 'an audit trail whose end was cut off',
    is: ['fail', 'audit trail', /the end was cut off: the entries 3 to/],
    fall: changed(`${UNGUARDED}; delete from audit_entries where id > 2`),
  },
  {
    what: 'an audit trail that may be changed',
    is: ['fail', 'audit trail', /a trigger that protects it is missing/],
    fall: changed('drop trigger audit_entries_removed'),
  },
  {
    ...{ what: 'a damaged database', is: ['fail', 'database', /is damaged/] },
    fall: changed(`insert into client_tokens values ('x', 99, 0, 0, null)`),
  },
  {
    ...{ what: 'a database of a newer version', is: ['fail', 'database', /newer version/] },
    fall: changed(TOO_NEW),
  },
  {
    ...{ what: 'nobody who can sign in', is: ['warn', 'administrators', /all are disabled/] },
    fall: changed('update admins set disabled_at_ms = 1'),
  },
  {
    what: 'a client whose secret may be a bearer from any address',
    is: ['warn', 'client secrets', /^the secret of "watched", "open" may be a bearer/],
    fall: changed(SECRETS_AS_BEARERS),
  },
  {
    what: 'an order that nobody knows the outcome of',
    ...{ is: ['warn', 'orders', /outcome of 1 is unknown/], fall: changed(UNKNOWN_ORDER) },
  },
  {
    ...{ what: 'an exchange that is not there', is: ['fail', 'Bitget', /cannot be reached/] },
    env: { BITGET_URL: 'http://127.0.0.1:9' },
  },
])('$what is found, with advice on what to do', async ({ is: [level, subject, found], ...ill }) => {
  const p = copyOfWell()
  ill.fall?.(p)
  const findings = await findingsOf({ ...p.env, ...ill.env })
  const finding = troubles(findings).find((one) => one.subject === subject)
  expect(finding).toMatchObject({ level, found: expect.stringMatching(found) })
  expect(finding?.advice ?? finding?.found).toMatch(
    /npm run|chmod|backup|key|outcomes|internet|allowedIps/,
  )
})

test('of overwritten pages the doctor says which tables have them, and what to do', async () => {
  const p = copyOfWell()
  overwritePages(p.path, 'request_logs')
  const database = () => findingOf(p.env, 'database')
  expect(await database()).toMatchObject({
    level: 'fail',
    found: expect.stringMatching(/is damaged \(.*\); damaged are request_logs$/),
    advice: expect.stringMatching(
      /^Stop .*Copy .*keep them.*npm run restore.*npm run salvage -- --from/,
    ),
  })
  expect(JSON.stringify(await database())).not.toMatch(/delete|remove/i)
  overwriteBytes(p.path, 1)
  expect(await database()).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('not even its list of tables can be read'),
    advice: expect.stringContaining('npm run salvage'),
  })
})

test('a rate above what an exchange allows is reported, with what is allowed and why', async () => {
  const rates = async (RATE_LIMIT_PER_SECOND: string) =>
    (await findingsOf({ ...well().env, RATE_LIMIT_PER_SECOND })).filter(
      ({ subject }) => subject === 'rate limit',
    )
  expect(await rates('2')).toMatchObject([{ level: 'ok' }, { level: 'ok' }])
  const [mexc, bitget] = await rates('2.5')
  expect(mexc).toMatchObject({
    level: 'warn',
    found: expect.stringMatching(/is 2\.5, and MEXC allows 2: MEXC futures takes 4 .* in 2 s/),
    advice: expect.stringContaining('Set it to 2 or less'),
  })
  expect(bitget).toMatchObject({
    level: 'ok',
    found: expect.stringMatching(/Bitget allows 10: .*docs\/exchanges\/bitget\.md/),
  })
  expect(await rates('11')).toMatchObject([{ level: 'warn' }, { level: 'warn' }])
})

test('the doctor says what each stored key may do, from where, and how long', async () => {
  const t = await patient()
  const { clientId } = await t.client()
  const permissions = ['read', 'trade', 'withdraw'] as const
  await storeKeys(t, clientId, { exchange: 'mx', permissions, keyDaysLeft: 5 })
  await storeKeys(t, clientId, { exchange: 'bg', unified: true, ...BOUND })
  await t.app.close()
  // The machine's clock is wrong: the keys are asked about with the exchange's time.
  const findings = await findingsOf(t.env, () => Date.now() - 60_000)
  const [mexc, bitget] = ['MEXC key', 'Bitget key'].map((name) =>
    findings.find(({ subject }) => subject === name),
  )
  expect(mexc?.level).toBe('warn')
  expect(mexc?.found).toMatch(
    /^"bot-1": SPOT_ACCOUNT_READ, .*SPOT_WITHDRAW_WRITE; expires in 5 days$/,
  )
  expect(mexc?.advice).toContain('may withdraw')
  expect(mexc?.advice).toContain('not bound to an IP address')
  expect(bitget?.found).toMatch(/^"bot-1": uta_\w+.*; bound to 127\.0\.0\.1$/)
  expect(JSON.stringify(findings)).not.toContain('mx-own-')
})

test('a key that the exchange rejects is a warning with its words, and the others are asked', async () => {
  const t = await patient()
  const { clientId } = await t.client('expired')
  await t.client('good')
  await storeKeys(t, clientId, { exchange: 'mx', expired: true })
  await t.app.close()
  const findings = await findingsOf(t.env)
  const keys = findings.filter(({ subject }) => subject === 'MEXC key')
  expect(keys).toHaveLength(2)
  expect(keys.find(({ found }) => found.startsWith('"expired"'))).toMatchObject({
    level: 'warn',
    found: expect.stringMatching(/^"expired": MEXC rejected the request: .*10072/),
  })
})

test('a WebSocket that refuses the login is a warning, by the gateway or the doctor, and leaves no listen key', async () => {
  const t = await patient()
  await t.client()
  const refuse = { method: 'POST', body: JSON.stringify({ kind: 'refuse-login', times: 0 }) }
  const headers = { 'content-type': 'application/json' }
  await fetch(`${t.paper.url}/paper/stream-faults`, { ...refuse, headers })
  const streamsOf = async (time?: Time) =>
    (await findingsOf(t.env, Date.now, time)).filter(({ subject }) => subject.endsWith('streams'))
  const running = await streamsOf(systemTime)
  await t.app.close()
  t.paper.clearReceived()
  for (const found of [running, await streamsOf()]) {
    expect(found.map(({ level, found: words }) => [level, words])).toEqual([
      ['warn', expect.stringMatching(/^"bot-1": mexc-spot: login refused/)],
      ['warn', expect.stringMatching(/^"bot-1": mexc-futures: login refused \(.+\)$/)],
      ['warn', expect.stringMatching(/^"bot-1": bitget-classic: login refused \(.+\)$/)],
    ])
    for (const { advice } of found) expect(advice).toContain('permission to read')
  }
  const listenKeys = t.paper.received({ path: '/api/v3/userDataStream' })
  expect(listenKeys.map(({ method }) => method)).toEqual(['POST', 'DELETE'])

  const unreachable = { ...t.env, BITGET_WS_URL: 'ws://127.0.0.1:9' }
  expect(await findingOf(unreachable, 'Bitget streams')).toMatchObject({
    found: '"bot-1": bitget-classic: unreachable (ECONNREFUSED)',
    advice: expect.stringContaining('ws://127.0.0.1:9'),
  })
  const off = { ...t.env, ACCOUNT_STREAMS: 'off' }
  expect(await findingOf(off, 'streams')).toMatchObject({ level: 'ok' })
})

test.each([
  ['when an exchange stops responding', 'timeout-before', '"a": MEXC did not send', 1],
  // It is asked a second time.
  ['at a rate limit that stays', '429', '"a": MEXC', 2],
] as const)('%s, the doctor asks about no further key of the exchange', async (...row) => {
  const [, kind, found, calls] = row
  const t = await patient()
  for (const name of ['a', 'b', 'c']) await t.client(name)
  await t.app.close()
  t.paper.faults.add({
    ...{ kind, times: 0 },
    match: { exchange: 'mx', path: '/api/v3/apiKeyInfo' },
  })
  t.paper.clearReceived()
  const limits = vi.spyOn(systemTime, 'setTimeout')
  onTestFinished(() => limits.mockRestore())
  const examined = findingsOf(t.env)
  if (kind === 'timeout-before') {
    await eventually(() => expect(t.paper.received({ path: '/api/v3/apiKeyInfo' })).toHaveLength(1))
    // Fires the time limit of the call in flight.
    limits.mock.calls.findLast(([, ms]) => ms === LIMIT_MS)?.[0]()
  }
  const findings = await examined
  const mexc = findings.filter(({ subject }) => subject === 'MEXC key').map((one) => one.found)
  expect(mexc).toEqual([expect.stringContaining(found), '2 more were not checked'])
  const signed = t.paper
    .received({ exchange: 'mx' })
    .filter(({ path }) => /apiKeyInfo|account/.test(path))
  expect(signed.map(({ path }) => path)).toEqual(Array(calls).fill('/api/v3/apiKeyInfo'))
  expect(findings.filter(({ subject }) => subject === 'Bitget key')).toHaveLength(3)
})

test.each([
  ['some seconds behind', 'warning', -5_000, { found: expect.stringContaining(' ms ahead of ') }],
  ['a day behind', 'failure', -86_400_000, { advice: expect.stringContaining('NTP') }],
  ['a day ahead', 'failure', 86_400_000, { advice: expect.stringContaining('NTP') }],
])('a clock that is %s is a %s', async (_what, level, offMs, words) => {
  const findings = await findingsOf(well().env, () => Date.now() + offMs)
  const expected = { level: level === 'warning' ? 'warn' : 'fail', ...words }
  const clocks = findings.filter(({ subject }) => subject === 'clock')
  expect(clocks).toMatchObject([expected, expected, expected])
})

test('a certificate that is not accepted is distinguished from an exchange that is not there', async () => {
  const server = createServer(selfSigned()).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const env = { ...well().env, BITGET_URL: `https://127.0.0.1:${port}` }
  expect(await findingOf(env, 'Bitget')).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
    advice: expect.stringMatching(/certificate.*clock of this machine/),
  })
})

/** Undefined where a test may not mount a file system. */
function readOnlyCopy(path: string): string | undefined {
  const folder = tempFolder()
  if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status !== 0) return undefined
  onTestFinished(() => void spawnSync('umount', [folder]))
  copyFileSync(path, join(folder, 'sluice.db'))
  return spawnSync('mount', ['-o', 'remount,ro', folder]).status === 0 ? folder : undefined
}

test('a read-only disk is named as what it is', async (context) => {
  const p = copyOfWell()
  const folder = readOnlyCopy(p.path)
  if (folder === undefined) return context.skip('only root may mount a file system')
  const findings = await findingsOf({ ...p.env, DATABASE_URL: `file:${join(folder, 'sluice.db')}` })
  expect(troubles(findings)).toMatchObject([
    { level: 'fail', subject: 'database', found: expect.stringContaining('read-only file system') },
    { level: 'fail', subject: 'files', found: expect.stringMatching(/is read-only$/) },
    { level: 'warn', subject: 'files', found: expect.stringContaining('mode 777') },
    { level: 'warn', subject: 'exchange calls', found: expect.stringContaining('none was made') },
  ])
})

test('a misspelt setting is a warning that names the setting, without the value', async () => {
  const findings = await findingsOf({ ...well().env, METRICS_TOKN: 'a-secret-value' })
  expect(troubles(findings).find(({ subject }) => subject === 'configuration')).toMatchObject({
    level: 'warn',
    found: expect.stringMatching(/^METRICS_TOKN is not a setting.*Did you mean METRICS_TOKEN\?$/),
  })
  expect(JSON.stringify(findings)).not.toContain('a-secret-value')
})

test('a wrong configuration is reported completely, and nothing else is checked', async () => {
  const findings = await findingsOf({ PORT: 'x', LOG_LEVEL: 'loud' })
  const subjects = troubles(findings).map(({ subject }) => subject)
  expect(subjects).toEqual(['configuration', 'configuration'])
  expect(findings).toHaveLength(4)
})

test('before the first start the only finding is the missing database', async () => {
  const DATABASE_URL = `file:${join(tempFolder(), 'new', 'sluice.db')}`
  const findings = await findingsOf({ ...well().env, DATABASE_URL })
  expect(troubles(findings)).toMatchObject([{ level: 'warn', subject: 'database' }])
})

test('a database without a backup, or with an old one, gets a warning', async () => {
  const { env, path } = copyOfWell()
  expect(await findingOf(env, 'backup')).toMatchObject({
    ...{ level: 'warn', found: 'none has been made' },
  })
  await recordGoodBackup(path, Date.now() - 2 * 3_600_000)
  expect(await findingOf(env, 'backup')).toMatchObject({ level: 'ok' })
  expect(await findingOf({ ...env, BACKUP_MAX_AGE_HOURS: '1' }, 'backup')).toMatchObject({
    level: 'warn',
    found: expect.stringMatching(/^the last one is of .*, older than BACKUP_MAX_AGE_HOURS allows$/),
  })
})
