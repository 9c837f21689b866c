import { and, asc, desc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import { type ApiKeyRow, type ApiKeyStore, accountAfter, accountOf } from '../api-key-store.ts'
import { ClientGoneError } from '../errors.ts'
import { recordChange } from './audit-trail.ts'
import type { Db } from './open.ts'
import { apiKeys, clients, removedKeys } from './tables.ts'
import { theRow } from './the-row.ts'
import { changing, isOrphan, writingOnce } from './write.ts'

/** The columns of a list: no sealed value. */
const listed = {
  id: apiKeys.id,
  clientRef: apiKeys.clientRef,
  clientId: clients.clientId,
  exchange: apiKeys.exchange,
  keyId: apiKeys.keyId,
  note: apiKeys.note,
  hasPassphrase: sql<boolean>`${isNotNull(apiKeys.passphraseSealed)}`,
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

type Reads = Pick<ApiKeyStore, 'list' | 'listSealed' | 'listSealedAfter' | 'find'>

/** Lists of keys without sealed values, and the sealed rows. */
function createReads(db: Db): Reads {
  const find = db
    .select()
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.clientRef, sql.placeholder('clientRef')),
        eq(apiKeys.exchange, sql.placeholder('exchange')),
      ),
    )
    .prepare('keys_of_client')
  // Each read of an account asks for them. They are not kept: a new key counts up no version.
  const sealedAfter = db
    .select()
    .from(apiKeys)
    .where(
      and(gt(apiKeys.id, sql.placeholder('id')), eq(apiKeys.exchange, sql.placeholder('exchange'))),
    )
    .orderBy(asc(apiKeys.id))
    .limit(sql.placeholder('limit'))
    .prepare('keys_after')
  const kept = db.rows.keep<ApiKeyRow>()

  return {
    async list() {
      return db
        .select(listed)
        .from(apiKeys)
        .innerJoin(clients, eq(clients.id, apiKeys.clientRef))
        .orderBy(desc(apiKeys.id))
    },

    async listSealed() {
      return db.select().from(apiKeys).orderBy(asc(apiKeys.id))
    },

    async listSealedAfter(exchange, id, limit) {
      return sealedAfter.execute({ exchange, id, limit })
    },

    async find(clientRef, exchange, sinceMs) {
      return kept(
        `${clientRef} ${exchange}`,
        async () => (await find.execute({ clientRef, exchange }))[0],
        sinceMs,
      )
    },
  }
}

type KeyWrites = Pick<ApiKeyStore, 'reseal' | 'upsert' | 'remove'>

/** The keys themselves: stored, sealed again, removed. */
function createKeyWrites(db: Db): KeyWrites {
  return {
    reseal: (id, keys) => note(db, id, keys),

    async upsert(keys, toEntry, isSameAccount) {
      try {
        return await changing(db, async (tx) => {
          const isReplaced = isOf(keys.clientRef, keys.exchange)
          const [replaced] = await tx.delete(apiKeys).where(isReplaced).returning()
          const isSame = replaced !== undefined && isSameAccount?.(replaced) === true
          const [removed] = await tx.delete(removedKeys).where(isRemovedOf(keys)).returning()
          const before = replaced === undefined ? removed : accountOf(replaced)
          const values = { ...keys, ...accountAfter(keys, before, isSame) }
          const row = theRow(await tx.insert(apiKeys).values(values).returning())
          await recordChange(tx, toEntry?.(row, replaced))
          return row
        })
      } catch (cause) {
        throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    async remove(clientRef, exchange, toEntry) {
      return changing(db, async (tx) => {
        const [removed] = await tx.delete(apiKeys).where(isOf(clientRef, exchange)).returning()
        if (removed === undefined) return undefined
        await recordChange(tx, toEntry?.(removed))
        await tx.delete(removedKeys).where(isRemovedOf(removed))
        const { accountUid, accountRef } = accountOf(removed)
        if (accountUid !== null)
          await tx.insert(removedKeys).values({ clientRef, exchange, accountUid, accountRef })
        return removed
      })
    },
  }
}

/** What is learned about stored keys. */
function createNotes(db: Db): Omit<ApiKeyStore, keyof Reads | keyof KeyWrites> {
  return {
    async setAccountKind(id, accountKind) {
      await note(db, id, { accountKind })
    },

    async setCanWithdraw(id, canWithdraw) {
      await note(db, id, { canWithdraw })
    },

    async setAccountUid(id, accountUid) {
      await note(db, id, { accountUid })
    },

    async setExpiry(id, { expiresAtMs, readAtMs: expiryReadAtMs }) {
      await note(db, id, { expiresAtMs, expiryReadAtMs })
    },

    async setTestResult(id, { status: testStatus, message: testMessage, testedAtMs }, entry) {
      return changing(db, async (tx) => {
        await recordChange(tx, entry)
        const [row] = await tx
          .update(apiKeys)
          .set({ testStatus, testMessage, testedAtMs })
          .where(eq(apiKeys.id, id))
          .returning()
        return row
      })
    },
  }
}

/** @returns false when there is no such row */
async function note(db: Db, id: number, columns: Partial<ApiKeyRow>): Promise<boolean> {
  const { rowCount } = await writingOnce(db, () =>
    db.update(apiKeys).set(columns).where(eq(apiKeys.id, id)),
  ).finally(() => db.rows.changed())
  return rowCount !== 0
}

function isRemovedOf({ clientRef, exchange }: Pick<ApiKeyRow, 'clientRef' | 'exchange'>) {
  return and(eq(removedKeys.clientRef, clientRef), eq(removedKeys.exchange, exchange))
}

function isOf(clientRef: number, exchange: ApiKeyRow['exchange']) {
  return and(eq(apiKeys.clientRef, clientRef), eq(apiKeys.exchange, exchange))
}
