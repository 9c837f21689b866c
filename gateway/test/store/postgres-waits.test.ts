import { describe, expect, onTestFinished, test } from 'vitest'
import { createStores } from '../../src/store/postgres/create-stores.ts'
import { hasPostgres } from '../support/postgres.ts'
import { startWaitingServer } from '../support/waits-for-disk.ts'
import {
  ada,
  apiKeysOf,
  end as endOf,
  entryOf,
  newClient,
  newestOrders,
  order,
  sent,
  working,
} from './rows.ts'

describe.skipIf(!hasPostgres)('what waits for the disk of PostgreSQL (docs/decisions/0005)', () => {
  test('an order, before its first byte, and where no look-up could find its end', async () => {
    const { url, waits } = await startWaitingServer()
    const { journal, workingOrders, clients, close } = await createStores(url)
    onTestFinished(close)
    expect(await waits(() => clients.insert(newClient()))).toBe(true)
    const end = endOf({ names: ['m'] })
    const placed = [working(1, { journalId: 'a' })]
    const found = { canBeFoundAgain: true, workingOrders: { placed, ended: [] } }
    expect(await waits(() => journal.admit(order('a')))).toBe(false)
    expect(await waits(() => journal.markSent('a', sent({ names: ['n'] })))).toBe(true)
    expect(await waits(() => journal.markQueued('a', ''))).toBe(false)
    expect(await waits(() => journal.markSent('a', sent({ names: ['n'] })))).toBe(true)
    expect(await waits(() => journal.markUnknown('a', ''))).toBe(false)
    expect(await waits(() => journal.countLookup('a', ''))).toBe(false)
    expect(await waits(() => journal.settle('a', { ...end, ...found }))).toBe(false)
    expect(await waits(() => workingOrders.remove([1], 9_000))).toBe(false)
    expect(await waits(() => journal.admit(order('b', { idempotencyKey: 'k' })))).toBe(false)
    expect(await waits(() => journal.settle('b', end))).toBe(true)
    expect(await waits(() => journal.removeOlderThan(9_000, 9))).toBe(false)
    expect(await newestOrders(journal)).toEqual([])
  })

  test('the beginning and the end of a session, and what is used once, but not each use', async () => {
    const { url, waits } = await startWaitingServer()
    const { admins, adminSessions, secondFactors, audit, close } = await createStores(url)
    onTestFinished(close)
    const adminId = 1
    expect(await waits(() => admins.insert(ada))).toBe(true)
    const session = { jti: 'a', adminId, issuedAtMs: 0, expiresAtMs: 1 }
    const beginning = { knownAddress: '::1' }
    expect(await waits(() => adminSessions.insert(session, beginning))).toBe(true)
    expect(await waits(() => adminSessions.noteUse('a', 2))).toBe(false)
    expect(await waits(() => adminSessions.revoke('a', 2))).toBe(true)
    expect(await waits(() => adminSessions.removeExpired(2, 9))).toBe(false)
    expect(await waits(() => adminSessions.forgetAddresses(2))).toBe(false)
    expect(await adminSessions.findByJti('a')).toBeUndefined()
    expect(await adminSessions.isKnownAddress(adminId, '::1', -1)).toBe(false)
    const totp = { adminId, name: 'Phone', createdAtMs: 1 }
    const seal = () => ({ keyId: 'k', secretSealed: 's' })
    expect(await waits(() => secondFactors.insertTotp(totp, seal, entryOf('totp')))).toBe(true)
    const enrolment = { atMs: 1, codeHashes: ['a'], session: { jti: 'a', address: '' } }
    const confirming = { ...enrolment, toEntry: () => entryOf('totp') }
    expect(await waits(() => secondFactors.confirmTotp(1, 1, confirming))).toBe(true)
    expect(await waits(() => secondFactors.useTotp(1, 2, 2))).toBe(true)
    expect(await waits(() => secondFactors.useCode(adminId, 'a', 2))).toBe(true)
    expect(await waits(() => admins.rehash(adminId, 'hash', 'again'))).toBe(true)
    expect(await waits(() => audit.append(entryOf('act')))).toBe(true)
  })

  test('what an administrator changes, and nothing that the next request or start finds out', async () => {
    const { url, waits } = await startWaitingServer()
    const { clients, tokens, secrets, apiKeys, stops, heartbeats, close } = await createStores(url)
    onTestFinished(close)
    await waits(() => clients.insert(newClient()))
    const use = { clientRef: 1, preview: 'p', usedAtMs: 1, address: 'a' }
    const token = { jti: 't', clientRef: 1, issuedAtMs: 0, expiresAtMs: 9 }
    const next = { secretHash: 'second', secretPreview: 'p2' }
    const stop = { scope: 'mx', reason: 'r', cancelOrders: true, startedAtMs: 1 }
    expect(await waits(() => tokens.insert(token))).toBe(false)
    expect(await waits(() => secrets.noteUse(use))).toBe(false)
    expect(await waits(() => secrets.noteUse({ ...use, usedAtMs: 2 }))).toBe(false)
    expect(await waits(() => secrets.rotate(1, next, 9, 1))).toBe(true)
    expect(await waits(() => secrets.removeExpired(9))).toBe(false)
    expect(await waits(() => tokens.revokeAll(1, 5))).toBe(true)
    expect(await waits(() => tokens.removeExpired(10, 9))).toBe(false)
    expect(await waits(() => apiKeys.upsert(apiKeysOf(1)))).toBe(true)
    expect(await waits(() => apiKeys.setCanWithdraw(1, true))).toBe(true)
    expect(await waits(() => stops.begin(stop, 1))).toBe(true)
    expect(await waits(() => stops.update('mx', { cancelled: 1 }))).toBe(false)
    expect(await waits(() => stops.resume('mx', 2, 1))).toBe(true)
    expect(await waits(() => heartbeats.put({ clientRef: 1, ttlMs: 1, lastAtMs: 1 }))).toBe(false)
    expect(await waits(() => heartbeats.put({ clientRef: 1, ttlMs: 1, lastAtMs: 2 }))).toBe(false)
    expect(await waits(() => heartbeats.remove(1))).toBe(true)
    expect(await secrets.uses(1)).toEqual([])
    expect(await tokens.findByJti('t')).toBeUndefined()
  })
})
