import { and, asc, desc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import type { AccountKind } from 'schema'
import {
  type ApiKeyListRow,
  type ApiKeyRow,
  type ApiKeyStore,
  type ApiKeyTestResult,
  accountAfter,
  accountOf,
  type ExpiryReading,
  type NewApiKeyRow,
  type ResealedKeys,
} from '../api-key-store.ts'
import type { NewAuditEntry } from '../audit-chain.ts'
import { ClientGoneError } from '../errors.ts'
import { recordChange } from './audit-trail.ts'
import type { Db } from './open.ts'
import { apiKeys, clients, removedKeys } from './tables.ts'
import { isOrphan, writing } from './write.ts'

/** The columns of a list: no sealed value. */
const listed = {
  id: apiKeys.id,
  clientRef: apiKeys.clientRef,
  clientId: clients.clientId,
  exchange: apiKeys.exchange,
  keyId: apiKeys.keyId,
  note: apiKeys.note,
  hasPassphrase: sql<boolean>`${isNotNull(apiKeys.passphraseSealed)}`.mapWith(Boolean),
  testStatus: apiKeys.testStatus,
  testMessage: apiKeys.testMessage,
  testedAtMs: apiKeys.testedAtMs,
  accountKind: apiKeys.accountKind,
  canWithdraw: apiKeys.canWithdraw,
  expiresAtMs: apiKeys.expiresAtMs,
  expiryReadAtMs: apiKeys.expiryReadAtMs,
  createdAtMs: apiKeys.createdAtMs,
  accountUid: apiKeys.accountUid,
  accountRef: apiKeys.accountRef,
}

export function createApiKeyStore(db: Db): ApiKeyStore {
  return { ...createReads(db), ...createKeyWrites(db), ...createNotes(db) }
}

/** Lists of keys without sealed values, and the sealed rows. */
function createReads(db: Db) {
  const find = db
    .select()
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.clientRef, sql.placeholder('clientRef')),
        eq(apiKeys.exchange, sql.placeholder('exchange')),
      ),
    )
    .prepare()
  // Each read of an account asks for them, to know whose key is stored for several clients.
  const sealedAfter = db
    .select()
    .from(apiKeys)
    .where(
      and(gt(apiKeys.id, sql.placeholder('id')), eq(apiKeys.exchange, sql.placeholder('exchange'))),
    )
    .orderBy(asc(apiKeys.id))
    .limit(sql.placeholder('limit'))
    .prepare()
  const kept = db.rows.keep<ApiKeyRow>()
  const keptLists = db.rows.keep<ApiKeyRow[]>()

  return {
    async list(): Promise<ApiKeyListRow[]> {
      return db
        .select(listed)
        .from(apiKeys)
        .innerJoin(clients, eq(clients.id, apiKeys.clientRef))
        .orderBy(desc(apiKeys.id))
        .all()
    },

    async listSealed(): Promise<ApiKeyRow[]> {
      return db.select().from(apiKeys).orderBy(asc(apiKeys.id)).all()
    },

    async listSealedAfter(
      exchange: ApiKeyRow['exchange'],
      id: number,
      limit: number,
    ): Promise<readonly ApiKeyRow[]> {
      const key = `${exchange} ${id} ${limit}`
      return keptLists(key, () => sealedAfter.all({ exchange, id, limit })) ?? []
    },

    async find(clientRef: number, exchange: ApiKeyRow['exchange']): Promise<ApiKeyRow | undefined> {
      return kept(`${clientRef} ${exchange}`, () => find.get({ clientRef, exchange }))
    },
  }
}

/** The keys themselves: stored, sealed again, removed. */
function createKeyWrites(db: Db) {
  return {
    async reseal(id: number, keys: ResealedKeys): Promise<boolean> {
      return writing(
        db,
        () => db.update(apiKeys).set(keys).where(eq(apiKeys.id, id)).run().changes > 0,
      )
    },

    async upsert(
      keys: NewApiKeyRow,
      toEntry?: (row: ApiKeyRow, replaced: ApiKeyRow | undefined) => NewAuditEntry,
      isSameAccount?: (replaced: ApiKeyRow) => boolean,
    ): Promise<ApiKeyRow> {
      try {
        return await writing(db, () => {
          const isReplaced = isOf(keys.clientRef, keys.exchange)
          const replaced = db.delete(apiKeys).where(isReplaced).returning().get()
          const isSame = replaced !== undefined && isSameAccount?.(replaced) === true
          const removed = db.delete(removedKeys).where(isRemovedOf(keys)).returning().get()
          const before = replaced === undefined ? removed : accountOf(replaced)
          const values = { ...keys, ...accountAfter(keys, before, isSame) }
          const row = db.insert(apiKeys).values(values).returning().get()
          recordChange(db, toEntry?.(row, replaced))
          return row
        })
      } catch (cause) {
        throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    async remove(
      clientRef: number,
      exchange: ApiKeyRow['exchange'],
      toEntry?: (removed: ApiKeyRow) => NewAuditEntry,
    ): Promise<ApiKeyRow | undefined> {
      return writing(db, () => {
        const removed = db.delete(apiKeys).where(isOf(clientRef, exchange)).returning().get()
        if (removed === undefined) return undefined
        recordChange(db, toEntry?.(removed))
        db.delete(removedKeys).where(isRemovedOf(removed)).run()
        const { accountUid, accountRef } = accountOf(removed)
        if (accountUid !== null)
          db.insert(removedKeys).values({ clientRef, exchange, accountUid, accountRef }).run()
        return removed
      })
    },
  }
}

/** What is learned about stored keys. */
function createNotes(db: Db) {
  return {
    async setAccountKind(id: number, accountKind: AccountKind): Promise<void> {
      await writing(db, () =>
        db.update(apiKeys).set({ accountKind }).where(eq(apiKeys.id, id)).run(),
      )
    },

    async setCanWithdraw(id: number, canWithdraw: boolean): Promise<void> {
      await writing(db, () =>
        db.update(apiKeys).set({ canWithdraw }).where(eq(apiKeys.id, id)).run(),
      )
    },

    async setAccountUid(id: number, accountUid: string): Promise<void> {
      await writing(db, () =>
        db.update(apiKeys).set({ accountUid }).where(eq(apiKeys.id, id)).run(),
      )
    },

    async setExpiry(id: number, { expiresAtMs, readAtMs }: ExpiryReading): Promise<void> {
      await writing(db, () =>
        db
          .update(apiKeys)
          .set({ expiresAtMs, expiryReadAtMs: readAtMs })
          .where(eq(apiKeys.id, id))
          .run(),
      )
    },

    async setTestResult(
      id: number,
      result: ApiKeyTestResult,
      entry?: NewAuditEntry,
    ): Promise<ApiKeyRow | undefined> {
      return writing(db, () => {
        recordChange(db, entry)
        return db
          .update(apiKeys)
          .set({
            testStatus: result.status,
            testMessage: result.message,
            testedAtMs: result.testedAtMs,
          })
          .where(eq(apiKeys.id, id))
          .returning()
          .get()
      })
    },
  }
}

function isRemovedOf({ clientRef, exchange }: Pick<ApiKeyRow, 'clientRef' | 'exchange'>) {
  return and(eq(removedKeys.clientRef, clientRef), eq(removedKeys.exchange, exchange))
}

function isOf(clientRef: number, exchange: ApiKeyRow['exchange']) {
  return and(eq(apiKeys.clientRef, clientRef), eq(apiKeys.exchange, exchange))
}
