import { and, asc, desc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import type { AccountKind } from 'schema'
import { type NewAuditEntry, recordChange } from './audit-chain.ts'
import { ClientGoneError } from './errors.ts'
import type { Db } from './open.ts'
import { apiKeys, clients } from './tables.ts'
import { isOrphan, writing } from './write.ts'

/** A row of exchange keys, which are sealed. Only the vault opens them. */
export type ApiKeyRow = typeof apiKeys.$inferSelect
export type NewApiKeyRow = Pick<
  ApiKeyRow,
  | 'clientRef'
  | 'exchange'
  | 'apiKeySealed'
  | 'apiSecretSealed'
  | 'passphraseSealed'
  | 'keyId'
  | 'note'
  | 'canWithdraw'
  | 'createdAtMs'
>
export type ResealedKeys = Pick<
  ApiKeyRow,
  'apiKeySealed' | 'apiSecretSealed' | 'passphraseSealed' | 'keyId'
>
export interface ApiKeyTestResult {
  status: 'success' | 'failure'
  /** The exchange's message; null when there is none. It is never a secret. */
  message: string | null
  testedAtMs: number
}

export interface ExpiryReading {
  /** Unix ms; null when the keys do not expire. */
  expiresAtMs: number | null
  readAtMs: number
}

export type ApiKeyListRow = Omit<
  ApiKeyRow,
  'apiKeySealed' | 'apiSecretSealed' | 'passphraseSealed'
> & { clientId: string; hasPassphrase: boolean }

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
}

export function createApiKeyStore(db: Db) {
  return { ...createReads(db), ...createKeyWrites(db), ...createNotes(db) }
}
export type ApiKeyStore = ReturnType<typeof createApiKeyStore>

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
  const kept = db.rows.keep<ApiKeyRow>()

  return {
    /**
     * All keys, newest first, without sealed values. A row always has key and secret; it may have a
     * passphrase.
     */
    async list(): Promise<ApiKeyListRow[]> {
      return db
        .select(listed)
        .from(apiKeys)
        .innerJoin(clients, eq(clients.id, apiKeys.clientRef))
        .orderBy(desc(apiKeys.id))
        .all()
    },

    /** All rows with their sealed values, oldest first. */
    async listSealed(): Promise<ApiKeyRow[]> {
      return db.select().from(apiKeys).orderBy(asc(apiKeys.id)).all()
    },

    /**
     * The next rows of an exchange after a row id, with their sealed values, oldest first. Keys
     * that are saved later have a higher id, also those that replace others.
     */
    async listSealedAfter(
      exchange: ApiKeyRow['exchange'],
      id: number,
      limit: number,
    ): Promise<ApiKeyRow[]> {
      const isNext = and(gt(apiKeys.id, id), eq(apiKeys.exchange, exchange))
      return db.select().from(apiKeys).where(isNext).orderBy(asc(apiKeys.id)).limit(limit).all()
    },

    /** The sealed keys of a client for an exchange; undefined when there are none. */
    async find(clientRef: number, exchange: ApiKeyRow['exchange']): Promise<ApiKeyRow | undefined> {
      return kept(`${clientRef} ${exchange}`, () => find.get({ clientRef, exchange }))
    },
  }
}

/** The keys themselves: stored, sealed again, removed. */
function createKeyWrites(db: Db) {
  return {
    /**
     * Stores the same keys sealed again. The row keeps its id and its test result.
     * @returns false when the row was replaced or removed in the meantime
     * @throws StoreUnwritableError
     */
    async reseal(id: number, keys: ResealedKeys): Promise<boolean> {
      return writing(
        db,
        () => db.update(apiKeys).set(keys).where(eq(apiKeys.id, id)).run().changes > 0,
      )
    },

    /**
     * Stores keys in place of older ones. The row gets a new id and is untested: a test of the
     * older keys that is still running must not count for the new ones.
     * @param toEntry makes the audit entry from the new row and the one that it replaces
     * @throws ClientGoneError when the client was deleted in the meantime, StoreUnwritableError
     */
    async upsert(
      keys: NewApiKeyRow,
      toEntry?: (row: ApiKeyRow, replaced: ApiKeyRow | undefined) => NewAuditEntry,
    ): Promise<ApiKeyRow> {
      try {
        return await writing(db, () => {
          const isReplaced = isOf(keys.clientRef, keys.exchange)
          const replaced = db.delete(apiKeys).where(isReplaced).returning().get()
          const row = db.insert(apiKeys).values(keys).returning().get()
          recordChange(db, toEntry?.(row, replaced))
          return row
        })
      } catch (cause) {
        throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    /**
     * Removes the keys.
     * @returns the removed row; undefined when there was none
     * @throws StoreUnwritableError
     */
    async remove(
      clientRef: number,
      exchange: ApiKeyRow['exchange'],
      toEntry?: (removed: ApiKeyRow) => NewAuditEntry,
    ): Promise<ApiKeyRow | undefined> {
      return writing(db, () => {
        const removed = db.delete(apiKeys).where(isOf(clientRef, exchange)).returning().get()
        if (removed !== undefined) recordChange(db, toEntry?.(removed))
        return removed
      })
    },
  }
}

/** What is learned about stored keys. */
function createNotes(db: Db) {
  return {
    /**
     * Stores the kind of account that the keys belong to. Keys that were replaced or removed in the
     * meantime are passed over.
     * @throws StoreUnwritableError
     */
    async setAccountKind(id: number, accountKind: AccountKind): Promise<void> {
      await writing(db, () =>
        db.update(apiKeys).set({ accountKind }).where(eq(apiKeys.id, id)).run(),
      )
    },

    /**
     * Stores whether the keys may withdraw. Keys that were replaced or removed in the meantime are
     * passed over.
     * @throws StoreUnwritableError
     */
    async setCanWithdraw(id: number, canWithdraw: boolean): Promise<void> {
      await writing(db, () =>
        db.update(apiKeys).set({ canWithdraw }).where(eq(apiKeys.id, id)).run(),
      )
    },

    /**
     * Stores what the exchange reported about the expiry of the keys. Keys that were replaced or
     * removed in the meantime are passed over.
     * @throws StoreUnwritableError
     */
    async setExpiry(id: number, { expiresAtMs, readAtMs }: ExpiryReading): Promise<void> {
      await writing(db, () =>
        db
          .update(apiKeys)
          .set({ expiresAtMs, expiryReadAtMs: readAtMs })
          .where(eq(apiKeys.id, id))
          .run(),
      )
    },

    /**
     * Stores the result of a test of these keys.
     * @param entry of the test, which is kept also when the keys are gone
     * @returns undefined when the keys were replaced or removed since the test began
     * @throws StoreUnwritableError
     */
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

function isOf(clientRef: number, exchange: ApiKeyRow['exchange']) {
  return and(eq(apiKeys.clientRef, clientRef), eq(apiKeys.exchange, exchange))
}
