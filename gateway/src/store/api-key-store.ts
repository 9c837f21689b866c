import { and, asc, desc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import type { AccountKind } from 'schema'
import type { NewAuditEntry } from './audit-chain.ts'
import { recordChange } from './audit-store.ts'
import { columns, type Database, first, hasChanged, run, theRow } from './database.ts'
import { ClientGoneError } from './errors.ts'
import type { Tables } from './tables.ts'

/** A row of exchange keys, which are sealed. Only the vault opens them. */
export type ApiKeyRow = Tables['apiKeys']['$inferSelect']

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
> &
  Partial<Pick<ApiKeyRow, 'accountUid'>>

/**
 * What orders and positions of these keys are stored under. It stays when the keys are replaced by
 * others that are known to be of the same account.
 */
export function accountRefOf({ id, accountRef }: Pick<ApiKeyRow, 'id' | 'accountRef'>): number {
  return accountRef ?? id
}

/** The account of keys that were there before. */
interface AccountBefore {
  readonly accountUid: string | null
  /** As `accountRefOf`. */
  readonly accountRef: number
}

function accountOf(row: ApiKeyRow): AccountBefore {
  return { accountUid: row.accountUid, accountRef: accountRefOf(row) }
}

/**
 * What new keys get of those before them: the account, when the exchange has the same id for it.
 * @param isSame it is certain in another way
 */
function accountAfter(
  { accountUid = null }: NewApiKeyRow,
  before: AccountBefore | undefined,
  isSame: boolean,
): Pick<ApiKeyRow, 'accountUid' | 'accountRef'> {
  if (before === undefined) return { accountUid, accountRef: null }
  const isKnown = isSame || (accountUid !== null && accountUid === before.accountUid)
  return isKnown
    ? { accountUid: accountUid ?? before.accountUid, accountRef: before.accountRef }
    : { accountUid, accountRef: null }
}

export type ResealedKeys = Pick<
  ApiKeyRow,
  'apiKeySealed' | 'apiSecretSealed' | 'passphraseSealed' | 'keyId'
>

interface ApiKeyTestResult {
  status: 'success' | 'failure'
  /** The exchange's message; null when there is none. It is never a secret. */
  message: string | null
  testedAtMs: number
}

interface ExpiryReading {
  /** Unix ms; null when the keys do not expire. */
  expiresAtMs: number | null
  readAtMs: number
}

/** Keys as lists show them, without sealed values. */
export type ApiKeyListRow = Awaited<ReturnType<ApiKeyStore['list']>>[number]

/** The exchange keys of clients, sealed. Its writes throw StoreUnwritableError. */
export type ApiKeyStore = ReturnType<typeof createApiKeyStore>

export function createApiKeyStore(db: Database) {
  return { ...createReads(db), ...createKeyWrites(db), ...createNotes(db) }
}

/** Lists of keys without sealed values, and the sealed rows. */
function createReads(db: Database) {
  const { apiKeys, clients } = db.tables
  const find = db.prepare(
    db.queries
      .select()
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.clientRef, sql.placeholder('clientRef')),
          eq(apiKeys.exchange, sql.placeholder('exchange')),
        ),
      ),
    'keys_of_client',
  )
  // Each read of an account asks for them, to know whose key is stored for several clients.
  const sealedAfter = db.prepare(
    db.queries
      .select()
      .from(apiKeys)
      .where(
        and(
          gt(apiKeys.id, sql.placeholder('id')),
          eq(apiKeys.exchange, sql.placeholder('exchange')),
        ),
      )
      .orderBy(asc(apiKeys.id))
      .limit(sql.placeholder('limit')),
    'keys_after',
  )
  const kept = db.keep<ApiKeyRow>()
  const keptAfter = db.keepAll<ApiKeyRow>()

  return {
    /**
     * All keys, newest first, without sealed values. A row always has key and secret; it may have a
     * passphrase.
     */
    list: async () =>
      db.queries
        .select(listedOf(db.tables))
        .from(apiKeys)
        .innerJoin(clients, eq(clients.id, apiKeys.clientRef))
        .orderBy(desc(apiKeys.id)),

    /** All rows with their sealed values, oldest first. */
    listSealed: async (): Promise<ApiKeyRow[]> =>
      db.queries.select().from(apiKeys).orderBy(asc(apiKeys.id)),

    /**
     * The next rows of an exchange after a row id, with their sealed values, oldest first. Keys
     * that are saved later have a higher id, also those that replace others.
     */
    listSealedAfter: (
      exchange: ApiKeyRow['exchange'],
      id: number,
      limit: number,
    ): Promise<readonly ApiKeyRow[]> =>
      keptAfter(`${exchange} ${id} ${limit}`, () => sealedAfter.execute({ exchange, id, limit })),

    /**
     * The sealed keys of a client for an exchange; undefined when there are none.
     * @param sinceMs as for ClientStore.find
     */
    async find(
      clientRef: number,
      exchange: ApiKeyRow['exchange'],
      sinceMs?: number,
    ): Promise<ApiKeyRow | undefined> {
      const read = () => find.execute({ clientRef, exchange })
      return (await kept(`${clientRef} ${exchange}`, read, sinceMs))[0]
    },
  }
}

/** By name: a column that is added later may be a secret. */
function listedOf({ apiKeys, clients }: Tables) {
  return {
    ...columns(apiKeys, 'id', 'clientRef', 'exchange', 'keyId', 'note', 'createdAtMs'),
    ...columns(apiKeys, 'testStatus', 'testMessage', 'testedAtMs', 'canWithdraw', 'accountKind'),
    ...columns(apiKeys, 'expiresAtMs', 'expiryReadAtMs', 'accountUid', 'accountRef'),
    ...columns(clients, 'clientId'),
    hasPassphrase: sql<boolean>`${isNotNull(apiKeys.passphraseSealed)}`.mapWith(Boolean),
  }
}

/** The keys themselves: stored and removed. */
function createKeyWrites(db: Database) {
  const { apiKeys, removedKeys } = db.tables
  const isOf = (clientRef: number, exchange: ApiKeyRow['exchange']) =>
    and(eq(apiKeys.clientRef, clientRef), eq(apiKeys.exchange, exchange))
  const isRemovedOf = ({ clientRef, exchange }: Pick<ApiKeyRow, 'clientRef' | 'exchange'>) =>
    and(eq(removedKeys.clientRef, clientRef), eq(removedKeys.exchange, exchange))

  return {
    /**
     * Stores keys in place of older ones. The row gets a new id and is untested: a test of the
     * older keys that is still running must not count for the new ones. The new keys keep the
     * account of those before them, also of removed ones, when both have the same `accountUid`.
     * @param toEntry makes the audit entry from the new row and the one that it replaces
     * @param isSameAccount true when that is certain without `accountUid`
     * @throws ClientGoneError when the client was deleted in the meantime
     */
    async upsert(
      keys: NewApiKeyRow,
      toEntry?: (row: ApiKeyRow, replaced: ApiKeyRow | undefined) => NewAuditEntry,
      isSameAccount?: (replaced: ApiKeyRow) => boolean,
    ): Promise<ApiKeyRow> {
      const isReplaced = isOf(keys.clientRef, keys.exchange)
      try {
        return await db.changing(function* (tx) {
          const replaced = yield* first(tx.delete(apiKeys).where(isReplaced).returning())
          const isSame = replaced !== undefined && isSameAccount?.(replaced) === true
          const removed = yield* first(tx.delete(removedKeys).where(isRemovedOf(keys)).returning())
          const before = replaced === undefined ? removed : accountOf(replaced)
          const values = { ...keys, ...accountAfter(keys, before, isSame) }
          const row = yield* theRow(tx.insert(apiKeys).values(values).returning())
          yield* recordChange(db, tx, toEntry?.(row, replaced))
          return row
        })
      } catch (cause) {
        throw db.isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    /**
     * Removes the keys. What is known of their account is kept for the next ones.
     * @returns the removed row; undefined when there was none
     */
    remove: (
      clientRef: number,
      exchange: ApiKeyRow['exchange'],
      toEntry?: (removed: ApiKeyRow) => NewAuditEntry,
    ): Promise<ApiKeyRow | undefined> =>
      db.changing(function* (tx) {
        const isIt = isOf(clientRef, exchange)
        const removed = yield* first(tx.delete(apiKeys).where(isIt).returning())
        if (removed === undefined) return undefined
        yield* recordChange(db, tx, toEntry?.(removed))
        yield* run(tx.delete(removedKeys).where(isRemovedOf(removed)))
        const { accountUid, accountRef } = accountOf(removed)
        const account = { clientRef, exchange, accountUid, accountRef }
        if (accountUid !== null)
          yield* run(tx.insert(removedKeys).values({ ...account, accountUid }))
        return removed
      }),
  }
}

/**
 * What is learned about stored keys. Keys that were replaced or removed in the meantime are passed
 * over.
 */
function createNotes(db: Database) {
  const { apiKeys } = db.tables
  /** @returns false when there is no such row */
  const note = (id: number, values: Partial<ApiKeyRow>): Promise<boolean> =>
    hasChanged(db, (queries) => queries.update(apiKeys).set(values).where(eq(apiKeys.id, id)), true)

  return {
    /**
     * Stores the same keys sealed again. The row keeps its id and its test result.
     * @returns false when the row was replaced or removed in the meantime
     */
    reseal: (id: number, keys: ResealedKeys): Promise<boolean> => note(id, keys),

    /** Stores the kind of account that the keys belong to. */
    async setAccountKind(id: number, accountKind: AccountKind): Promise<void> {
      await note(id, { accountKind })
    },

    /** Stores whether the keys may withdraw. */
    async setCanWithdraw(id: number, canWithdraw: boolean): Promise<void> {
      await note(id, { canWithdraw })
    },

    /** Stores the exchange's id of the account of the keys. */
    async setAccountUid(id: number, accountUid: string): Promise<void> {
      await note(id, { accountUid })
    },

    /** Stores what the exchange reported about the expiry of the keys. */
    async setExpiry(id: number, { expiresAtMs, readAtMs }: ExpiryReading): Promise<void> {
      await note(id, { expiresAtMs, expiryReadAtMs: readAtMs })
    },

    /**
     * Stores the result of a test of these keys.
     * @param entry of the test, which is kept also when the keys are gone
     * @returns undefined when the keys were replaced or removed since the test began
     */
    setTestResult: (
      id: number,
      { status: testStatus, message: testMessage, testedAtMs }: ApiKeyTestResult,
      entry?: NewAuditEntry,
    ): Promise<ApiKeyRow | undefined> =>
      db.changing(function* (tx) {
        yield* recordChange(db, tx, entry)
        const values = { testStatus, testMessage, testedAtMs }
        return yield* first(tx.update(apiKeys).set(values).where(eq(apiKeys.id, id)).returning())
      }),
  }
}
