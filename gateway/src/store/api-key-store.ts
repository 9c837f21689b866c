import type { AccountKind } from 'schema'
import type { NewAuditEntry } from './audit-chain.ts'
import type { apiKeys } from './sqlite/tables.ts'

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
export interface AccountBefore {
  readonly accountUid: string | null
  /** As `accountRefOf`. */
  readonly accountRef: number
}

export function accountOf(row: ApiKeyRow): AccountBefore {
  return { accountUid: row.accountUid, accountRef: accountRefOf(row) }
}

/**
 * What new keys get of those before them: the account, when the exchange has the same id for it.
 * @param isSame it is certain in another way
 */
export function accountAfter(
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

export interface ApiKeyStore {
  /**
   * All keys, newest first, without sealed values. A row always has key and secret; it may have a
   * passphrase.
   */
  list(): Promise<ApiKeyListRow[]>

  /** All rows with their sealed values, oldest first. */
  listSealed(): Promise<ApiKeyRow[]>

  /**
   * The next rows of an exchange after a row id, with their sealed values, oldest first. Keys
   * that are saved later have a higher id, also those that replace others.
   */
  listSealedAfter(
    exchange: ApiKeyRow['exchange'],
    id: number,
    limit: number,
  ): Promise<readonly ApiKeyRow[]>

  /**
   * The sealed keys of a client for an exchange; undefined when there are none.
   * @param sinceMs as for ClientStore.find
   */
  find(
    clientRef: number,
    exchange: ApiKeyRow['exchange'],
    sinceMs?: number,
  ): Promise<ApiKeyRow | undefined>

  /**
   * Stores the same keys sealed again. The row keeps its id and its test result.
   * @returns false when the row was replaced or removed in the meantime
   * @throws StoreUnwritableError
   */
  reseal(id: number, keys: ResealedKeys): Promise<boolean>

  /**
   * Stores keys in place of older ones. The row gets a new id and is untested: a test of the
   * older keys that is still running must not count for the new ones. The new keys keep the account
   * of those before them, also of removed ones, when both have the same `accountUid`.
   * @param toEntry makes the audit entry from the new row and the one that it replaces
   * @param isSameAccount true when that is certain without `accountUid`
   * @throws ClientGoneError when the client was deleted in the meantime, StoreUnwritableError
   */
  upsert(
    keys: NewApiKeyRow,
    toEntry?: (row: ApiKeyRow, replaced: ApiKeyRow | undefined) => NewAuditEntry,
    isSameAccount?: (replaced: ApiKeyRow) => boolean,
  ): Promise<ApiKeyRow>

  /**
   * Removes the keys. What is known of their account is kept for the next ones.
   * @returns the removed row; undefined when there was none
   * @throws StoreUnwritableError
   */
  remove(
    clientRef: number,
    exchange: ApiKeyRow['exchange'],
    toEntry?: (removed: ApiKeyRow) => NewAuditEntry,
  ): Promise<ApiKeyRow | undefined>

  /**
   * Stores the kind of account that the keys belong to. Keys that were replaced or removed in the
   * meantime are passed over.
   * @throws StoreUnwritableError
   */
  setAccountKind(id: number, accountKind: AccountKind): Promise<void>

  /**
   * Stores whether the keys may withdraw. Keys that were replaced or removed in the meantime are
   * passed over.
   * @throws StoreUnwritableError
   */
  setCanWithdraw(id: number, canWithdraw: boolean): Promise<void>

  /**
   * Stores the exchange's id of the account of the keys. Keys that were replaced or removed in the
   * meantime are passed over.
   * @throws StoreUnwritableError
   */
  setAccountUid(id: number, accountUid: string): Promise<void>

  /**
   * Stores what the exchange reported about the expiry of the keys. Keys that were replaced or
   * removed in the meantime are passed over.
   * @throws StoreUnwritableError
   */
  setExpiry(id: number, reading: ExpiryReading): Promise<void>

  /**
   * Stores the result of a test of these keys.
   * @param entry of the test, which is kept also when the keys are gone
   * @returns undefined when the keys were replaced or removed since the test began
   * @throws StoreUnwritableError
   */
  setTestResult(
    id: number,
    result: ApiKeyTestResult,
    entry?: NewAuditEntry,
  ): Promise<ApiKeyRow | undefined>
}
