import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { NO_LIMITS } from 'schema'
import { expect, test } from 'vitest'
import type { NewAuditEntry } from '../../src/store/audit-chain.ts'
import * as tables from '../../src/store/sqlite/tables.ts'
import { onEachDatabase, type StoreTest, type TestStores } from './engines.ts'
import * as rows from './rows.ts'

/** All but the index of the log, which each database has in its way. */
const TABLES = Object.values(tables)
  .flatMap((table) => (is(table, SQLiteTable) ? [getTableName(table)] : []))
  .filter((name) => !name.startsWith('log_k'))

/** Every row that a change could leave behind. */
async function rowsOf({ sql }: StoreTest): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const table of TABLES)
    found[table] = (await sql(`select * from ${table}`)).map((row) => JSON.stringify(row)).sort()
  return found
}

const session = (jti: string) => ({ jti, adminId: 1, issuedAtMs: 1_000, expiresAtMs: 5_000 })
const SECRET = { secretHash: 'next', secretPreview: 'p2' }
const STOP = { scope: 'client:1', reason: 'r', cancelOrders: true, startedAtMs: 1_000 }
const APPROVAL = {
  ...{ action: 'deleteClient', subjectKind: 'client', subject: 'grid-bot', basis: 'sha' },
  ...{ before: null, after: null, requestedBy: 1, requestedAtMs: 1_000, expiresAtMs: 5_000 },
}
const TOTP = { adminId: 2, name: 'Phone', createdAtMs: 1_000 }
const PASSKEY = {
  ...{ adminId: 2, name: 'Key', credentialId: 'c', publicKey: 'key', counter: 0 },
  ...{ transports: ['usb' as const], rpId: 'localhost' },
}
const PERSON = {
  ...{ issuer: 'https://id.example.com', subject: 'one', email: 'eve@example.com' },
  ...{ isEmailVerified: true, role: 'operator' as const },
}
const enrolled = (entry: NewAuditEntry) => ({
  ...{ atMs: 1_000, codeHashes: ['a'], session: { jti: '', address: '' }, toEntry: () => entry },
})

type Change = (stores: TestStores, entry: NewAuditEntry) => Promise<unknown>

/** Each change that has an entry, in an order in which each finds something to change. */
const CHANGES: Readonly<Record<string, Change>> = {
  'a new client': (s, entry) => s.clients.insert(rows.newClient(), () => entry),
  'a client switched off': (s, entry) => s.clients.setActive(1, false, 2_000, () => entry),
  'a description': (s, entry) => s.clients.update(1, { description: 'x' }, 2_000, () => entry),
  limits: (s, entry) => s.clients.setLimits(1, noLimits, 2_000, () => entry),
  'a new secret': (s, entry) => s.secrets.rotate(1, SECRET, 9_000, 70, () => entry),
  'the end of a secret': (s, entry) => s.secrets.endOld(1, 80, () => entry),
  'new keys': (s, entry) => s.apiKeys.upsert(rows.apiKeysOf(1), () => entry),
  'keys replaced': (s, entry) => s.apiKeys.upsert(rows.apiKeysOf(1, { note: '' }), () => entry),
  'keys tested': async (s, entry) =>
    s.apiKeys.setTestResult(
      (await s.apiKeys.find(1, 'mx'))?.id ?? 0,
      { status: 'success', message: null, testedAtMs: 3_000 },
      entry,
    ),
  'keys removed': (s, entry) => s.apiKeys.remove(1, 'mx', () => entry),
  'a stop': (s, entry) => s.stops.begin(STOP, 1, entry),
  'the end of a stop': (s, entry) => s.stops.resume('client:1', 2_000, 1, entry),
  'an order ended by an administrator': (s, entry) =>
    s.journal.settleByAdmin('a', rows.end({ state: 'resolved' }), entry),
  'a new administrator': (s, entry) => s.admins.insert({ ...rows.ada, email: 'c' }, entry),
  'a session': (s, entry) => s.adminSessions.insert(session('a'), { entry, knownAddress: '::1' }),
  'a factor shown': (s, entry) =>
    s.adminSessions.confirm('a', { confirmedAtMs: 3_000, factor: 'totp' }, entry),
  'a role': (s, entry) =>
    s.admins.change(1, { role: 'viewer' }, { atMs: 2_000, toEntries: () => [FIRST, entry] }),
  'another session': (s, entry) => s.adminSessions.insert(session('b'), { entry }),
  'the end of a session': (s, entry) => s.adminSessions.revoke('b', 4_000, entry),
  'a third session': (s, entry) => s.adminSessions.insert(session('c'), { entry }),
  'the end of all sessions': (s, entry) => s.adminSessions.revokeAll(1, 5_000, entry),
  'an authenticator app': (s, entry) => s.secondFactors.insertTotp(TOTP, SEAL, entry),
  'its first code': async (s, entry) =>
    s.secondFactors.confirmTotp(await factorOf(s), 4, enrolled(entry)),
  'a passkey': (s, entry) => s.secondFactors.insertPasskey(PASSKEY, enrolled(entry)),
  'a name of a factor': async (s, entry) =>
    s.secondFactors.rename(2, await factorOf(s), 'New', () => entry),
  'new recovery codes': (s, entry) => s.secondFactors.replaceCodes(2, ['c'], 2_000, entry),
  'a factor removed': async (s, entry) => s.secondFactors.remove(2, await factorOf(s), () => entry),
  'a person of a provider': (s, entry) => s.openIds.admit(PERSON, 1_000, () => [FIRST, entry]),
  'a higher role of a person': (s, entry) =>
    s.openIds.admit({ ...PERSON, role: 'admin' }, 2_000, () => [FIRST, entry]),
  'a question to another admin': (s, entry) => s.approvals.insert(APPROVAL, sealed, () => entry),
  'a fact': (s, entry) => s.facts.set('a', '1', [FIRST, entry]),
  'several facts': (s, entry) => s.facts.setAll({ a: '2', b: '3' }, entry),
  'a call': (s, entry) => s.audit.append(entry),
}
const FIRST = rows.entryOf('the first of two')
/** A failed insert may use up an id. */
const factorOf = async (s: TestStores) => (await s.secondFactors.listSealed())[0]?.id ?? 0
const noLimits = () => NO_LIMITS
const sealed = () => ({ requestSealed: 's', keyId: 'key' })
const SEAL = () => ({ keyId: 'k', secretSealed: 's' })

onEachDatabase('what all stores have in common', (t) => {
  test('each change has its entry in the audit trail, and without the entry nothing is stored', async () => {
    const { admins, clients, journal } = t.stores
    for (const admin of [rows.ada, rows.bob]) await admins.insert(admin)
    await clients.insert(rows.newClient('grid'))
    await journal.admit(rows.order('a'))
    await journal.markSent('a', rows.sent())
    await journal.markUnknown('a', '')
    for (const [what, change] of Object.entries(CHANGES)) {
      const before = await rowsOf(t)
      const failed = await change(t.stores, rows.unwritable).catch((error: Error) => error.message)
      expect([what, failed]).toEqual([what, 'no entry'])
      expect(await rowsOf(t), what).toEqual(before)
      await change(t.stores, rows.entryOf(what))
      expect((await rows.subjectsOf(t)).at(-1)).toBe(what)
    }
  })

  test('what somebody else changes in the database is seen at the next look', async () => {
    const { clients, tokens, apiKeys, secrets } = t.stores
    await t.sql(rows.TWO_CLIENTS)
    await tokens.insert({ jti: 't', clientRef: 1, issuedAtMs: 0, expiresAtMs: 9_000 })
    await apiKeys.upsert(rows.apiKeysOf(1))
    await secrets.rotate(1, SECRET, 1_000, 0)
    const active = async () => [
      (await clients.find(1))?.active,
      (await clients.findByClientId('grid'))?.active,
    ]
    const revokedAtMs = async () => (await tokens.findByJti('t'))?.revokedAtMs
    const keys = async () => (await apiKeys.find(1, 'mx'))?.note
    const secret = async () => (await secrets.findOld(1, 999))?.preview
    const changes = [
      [active, [true, true], 'update clients set active = false', [false, false]],
      [active, [false, false], 'update clients set active = true', [true, true]],
      [revokedAtMs, null, 'update client_tokens set revoked_at_ms = 7', 7],
      [keys, 'main account', 'delete from api_keys', undefined],
      [secret, 'p', 'delete from old_secrets', undefined],
      [active, [true, true], 'delete from clients', [undefined, undefined]],
    ] as const
    for (const [look, before, change, after] of changes) {
      expect(await look(), change).toEqual(before)
      await t.sql(change)
      expect(await look(), change).toEqual(after)
    }
  })

  test('expired sessions and tokens go in bounded steps, running ones stay', async () => {
    const { admins, adminSessions, tokens } = t.stores
    await admins.insert(rows.ada)
    await t.sql(rows.TWO_CLIENTS)
    const times = { adminId: 1, clientRef: 1, issuedAtMs: 0 }
    for (const store of [adminSessions, tokens]) {
      for (const expiresAtMs of [1, 2, 3, 4])
        await store.insert({ ...times, jti: `${expiresAtMs}`, expiresAtMs })
      const steps = [4, 4, 4].map((nowMs) => () => store.removeExpired(nowMs, 2))
      expect(await inTurn(steps)).toEqual([2, 1, 0])
      expect(await store.findByJti('4')).toBeDefined()
    }
  })

  test('nothing is stored for a client that was deleted in the meantime', async () => {
    const { clients, tokens, apiKeys, journal, heartbeats } = t.stores
    const { id } = await clients.insert(rows.newClient())
    await clients.remove(id)
    const gone = { code: 'CLIENT_NOT_FOUND' }
    const token = { jti: 'a', clientRef: id, issuedAtMs: 0, expiresAtMs: 1 }
    await expect(tokens.insert(token)).rejects.toMatchObject(gone)
    await expect(apiKeys.upsert(rows.apiKeysOf(id))).rejects.toMatchObject(gone)
    await expect(journal.admit(rows.order('a', { clientRef: id }))).rejects.toMatchObject(gone)
    await expect(heartbeats.put({ clientRef: id, ttlMs: 1, lastAtMs: 1 })).rejects.toThrow()
  })
})

async function inTurn<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = []
  for (const work of works) results.push(await work())
  return results
}
