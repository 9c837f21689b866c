import { and, asc, desc, eq, isNotNull, sql } from 'drizzle-orm'
import { ClientGoneError } from './errors.ts'
import type { Db } from './open.ts'
import { apiKeys, clients } from './tables.ts'
import { isOrphan, writing } from './write.ts'

/** Exchange keys as they are kept: sealed. Only the vault opens them. */
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
  | 'createdAtMs'
>
export type ResealedKeys = Pick<
  ApiKeyRow,
  'apiKeySealed' | 'apiSecretSealed' | 'passphraseSealed' | 'keyId'
>
export interface ApiKeyTestResult {
  status: 'success' | 'failure'
  /** What the exchange said; null when there is nothing to add. Never a secret. */
  message: string | null
  testedAtMs: number
}

export type ApiKeyListRow = Omit<
  ApiKeyRow,
  'apiKeySealed' | 'apiSecretSealed' | 'passphraseSealed'
> & { clientId: string; hasPassphrase: boolean }

export function createApiKeyStore(db: Db) {
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

  return {
    /**
     * All keys, newest first, without anything sealed. Key and secret are always there, a
     * passphrase may be.
     */
    async list(): Promise<ApiKeyListRow[]> {
      return db
        .select({
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
          createdAtMs: apiKeys.createdAtMs,
        })
        .from(apiKeys)
        .innerJoin(clients, eq(clients.id, apiKeys.clientRef))
        .orderBy(desc(apiKeys.id))
        .all()
    },

    /** Every row with what is sealed in it, oldest first. */
    async listSealed(): Promise<ApiKeyRow[]> {
      return db.select().from(apiKeys).orderBy(asc(apiKeys.id)).all()
    },

    /**
     * Keeps the same keys sealed anew; the row keeps its id and the result of its test. False when it was replaced or
     * removed meanwhile.
     *
     * @throws StoreUnwritableError
     */
    async reseal(id: number, keys: ResealedKeys): Promise<boolean> {
      return writing(
        db,
        () => db.update(apiKeys).set(keys).where(eq(apiKeys.id, id)).run().changes > 0,
      )
    },

    /** The sealed keys of a client for an exchange; undefined when there are none. */
    async find(clientRef: number, exchange: ApiKeyRow['exchange']): Promise<ApiKeyRow | undefined> {
      return find.get({ clientRef, exchange })
    },

    /**
     * Keeps the keys in place of older ones. The row gets a new id and is untested, so that a test
     * of the older keys that is still running cannot vouch for the new ones.
     *
     * @throws ClientGoneError when the client was deleted meanwhile, StoreUnwritableError
     */
    async upsert(keys: NewApiKeyRow): Promise<ApiKeyRow> {
      try {
        return await writing(db, () =>
          db.transaction(
            (tx) => {
              tx.delete(apiKeys).where(isOf(keys.clientRef, keys.exchange)).run()
              return tx.insert(apiKeys).values(keys).returning().get()
            },
            { behavior: 'immediate' },
          ),
        )
      } catch (cause) {
        throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    /**
     * Removes the keys and returns the row as it was; undefined when there is none.
     *
     * @throws StoreUnwritableError
     */
    async remove(
      clientRef: number,
      exchange: ApiKeyRow['exchange'],
    ): Promise<ApiKeyRow | undefined> {
      return writing(db, () =>
        db.delete(apiKeys).where(isOf(clientRef, exchange)).returning().get(),
      )
    },

    /**
     * Keeps how a test of the row's keys went; undefined when they were replaced or removed since.
     *
     * @throws StoreUnwritableError
     */
    async setTestResult(id: number, result: ApiKeyTestResult): Promise<ApiKeyRow | undefined> {
      return writing(db, () =>
        db
          .update(apiKeys)
          .set({
            testStatus: result.status,
            testMessage: result.message,
            testedAtMs: result.testedAtMs,
          })
          .where(eq(apiKeys.id, id))
          .returning()
          .get(),
      )
    },
  }
}
export type ApiKeyStore = ReturnType<typeof createApiKeyStore>

function isOf(clientRef: number, exchange: ApiKeyRow['exchange']) {
  return and(eq(apiKeys.clientRef, clientRef), eq(apiKeys.exchange, exchange))
}
