import { type AccountKind, EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { ExchangeKeys } from '../exchanges/exchange.ts'
import { type ApiKeyRow, type ApiKeyStore, accountRefOf } from '../store/api-key-store.ts'
import type { Time, Timer } from '../time.ts'
import type { Sealing } from '../vault/sealing.ts'
import { ExchangeKeysMissingError, ExchangeKeysUnreadableError } from './errors.ts'
import { SharedKeys } from './shared-keys.ts'

export interface ClientKeysDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'find' | 'listSealedAfter' | 'setAccountKind'>
  readonly sealing: Pick<Sealing, 'open'>
  readonly time: Pick<Time, 'setTimeout'>
}

export interface OpenKeys {
  /** The id of their row, which changes when they are replaced. */
  readonly rowId: number
  /** As `accountRefOf`. */
  readonly accountRef: number
  readonly keys: ExchangeKeys
  /** Null while it is unknown, and where all accounts are of one kind. */
  readonly accountKind: AccountKind | null
}

/** How long opened keys are kept in memory; their row is read for each call. */
const OPENED_MS = 5_000

/** A client's exchange keys: looked up when a request arrives, opened only when it is sent. */
export function createClientKeys({ apiKeys, sealing, time }: ClientKeysDeps) {
  const sharedKeys = new SharedKeys({ apiKeys, sealing })
  const opened = new Map<number, Opened>()
  /** By the id of the keys: what could not be stored yet. */
  const unstoredKinds = new Map<number, AccountKind>()

  function kindOf(row: ApiKeyRow): AccountKind | null {
    return unstoredKinds.get(row.id) ?? row.accountKind
  }

  async function find(
    clientRef: number,
    exchange: ExchangeCode,
    sinceMs: number | undefined,
  ): Promise<ApiKeyRow> {
    const row = await apiKeys.find(clientRef, exchange, sinceMs)
    if (row === undefined) throw new ExchangeKeysMissingError(EXCHANGE_NAMES[exchange])
    return row
  }

  return {
    /** The id of the row of the client's current keys: it changes whenever they are replaced. */
    async rowIdOf(clientRef: number, exchange: ExchangeCode, sinceMs?: number): Promise<number> {
      return (await find(clientRef, exchange, sinceMs)).id
    },

    /**
     * The account of the client's current keys, as `accountRefOf`: it changes when they are
     * replaced by keys that may be of another account.
     * @param sinceMs as for ClientStore.find
     * @throws ExchangeKeysMissingError
     */
    async accountRefOf(
      clientRef: number,
      exchange: ExchangeCode,
      sinceMs?: number,
    ): Promise<number> {
      return accountRefOf(await find(clientRef, exchange, sinceMs))
    },

    /**
     * The kind of the account, as the exchange last showed it; null while that is unknown.
     * @param sinceMs as for ClientStore.find
     * @throws ExchangeKeysMissingError
     */
    async accountKindOf(
      clientRef: number,
      exchange: ExchangeCode,
      sinceMs?: number,
    ): Promise<AccountKind | null> {
      return kindOf(await find(clientRef, exchange, sinceMs))
    },

    /**
     * Remembers the kind of account that keys belong to. While it cannot be stored, it is kept in
     * memory.
     * @throws StoreUnwritableError
     */
    async setAccountKind(id: number, kind: AccountKind): Promise<void> {
      unstoredKinds.set(id, kind)
      await apiKeys.setAccountKind(id, kind)
      unstoredKinds.delete(id)
    },

    /** The other clients for which the client's API key is stored too. */
    othersWithKeyOf: (clientRef: number, exchange: ExchangeCode) =>
      sharedKeys.othersWithKeyOf(clientRef, exchange),

    /**
     * @param sinceMs as for ClientStore.find
     * @throws ExchangeKeysMissingError, ExchangeKeysUnreadableError
     */
    async open(clientRef: number, exchange: ExchangeCode, sinceMs?: number): Promise<OpenKeys> {
      const row = await find(clientRef, exchange, sinceMs)
      const { id } = row
      const known = opened.get(id)
      const keys = known !== undefined && isSealedAs(known.row, row) ? known.keys : openRow(row)
      if (keys !== known?.keys) {
        known?.timer.cancel()
        const timer = time.setTimeout(() => opened.delete(id), OPENED_MS).unref()
        opened.set(id, { row, keys, timer })
      }
      return { rowId: id, accountRef: accountRefOf(row), keys, accountKind: kindOf(row) }
    },
  }

  /** @throws ExchangeKeysUnreadableError */
  function openRow(row: ApiKeyRow): ExchangeKeys {
    try {
      return openedKeys(sealing, row)
    } catch (cause) {
      throw new ExchangeKeysUnreadableError(EXCHANGE_NAMES[row.exchange], { cause })
    }
  }
}

/** @throws UnreadableSecretError */
export function openedKeys(
  sealing: Pick<Sealing, 'open'>,
  { clientRef, exchange, ...row }: ApiKeyRow,
): ExchangeKeys {
  const part = (field: 'apiKey' | 'apiSecret' | 'passphrase', sealed: string) =>
    sealing.open(sealed, { clientRef, exchange, field })
  return {
    apiKey: part('apiKey', row.apiKeySealed),
    apiSecret: part('apiSecret', row.apiSecretSealed),
    ...(row.passphraseSealed === null
      ? {}
      : { passphrase: part('passphrase', row.passphraseSealed) }),
  }
}

interface Opened {
  /** What the keys were opened from. */
  readonly row: ApiKeyRow
  readonly keys: ExchangeKeys
  readonly timer: Timer
}

function isSealedAs(a: ApiKeyRow, b: ApiKeyRow): boolean {
  return (
    a.apiKeySealed === b.apiKeySealed &&
    a.apiSecretSealed === b.apiSecretSealed &&
    a.passphraseSealed === b.passphraseSealed
  )
}

export type ClientKeys = ReturnType<typeof createClientKeys>
