import { type ApiKey, EXCHANGE_NAMES, type ExchangeCode, type NewApiKey } from 'schema'
import { keysOf } from '../../exchanges/keys.ts'
import type { ApiKeyListRow, ApiKeyStore } from '../../store/api-key-store.ts'
import type { AuditFacts, Author } from '../../store/audit-chain.ts'
import type { AuditStore } from '../../store/audit-store.ts'
import type { ClientStore } from '../../store/client-store.ts'
import type { Sealing } from '../../vault/sealing.ts'
import { aboutClient, keyFacts } from './audit-facts.ts'
import { ApiKeyNotFoundError, ClientNotFoundError, KeyCanWithdrawError } from './errors.ts'
import type { NewKeyCheck, Withdrawal } from './new-key-check.ts'

export interface ApiKeyServiceDeps {
  readonly clients: Pick<ClientStore, 'findByClientId'>
  readonly apiKeys: Pick<ApiKeyStore, 'list' | 'find' | 'upsert' | 'remove'>
  readonly sealing: Sealing
  readonly newKeyCheck: NewKeyCheck
  readonly audit: Pick<AuditStore, 'append'>
  readonly nowMs: () => number
}

export interface SavedBy {
  readonly author: Author
  readonly requestId: string
}

/** Exchange keys: stored sealed, listed by whether they are set, never given out again. */
export function createApiKeyService(deps: ApiKeyServiceDeps) {
  const { clients, apiKeys, sealing, nowMs } = deps
  async function clientRefOf(clientId: string): Promise<number> {
    const client = await clients.findByClientId(clientId)
    if (client === undefined) throw new ClientNotFoundError(clientId)
    return client.id
  }

  const toApiKey = (row: Omit<ApiKeyListRow, 'id' | 'clientRef'>): ApiKey => ({
    clientId: row.clientId,
    exchange: row.exchange,
    note: row.note,
    testStatus: row.testStatus,
    testMessage: row.testMessage,
    testedAt: row.testedAtMs === null ? null : new Date(row.testedAtMs).toISOString(),
    hasApiKey: true,
    hasApiSecret: true,
    hasPassphrase: row.hasPassphrase,
    isReadable: sealing.canOpen(row.keyId),
    expiresAt: row.expiresAtMs === null ? null : new Date(row.expiresAtMs).toISOString(),
    accountKind: row.accountKind,
    canWithdraw: row.canWithdraw,
    createdAt: new Date(row.createdAtMs).toISOString(),
  })

  async function list(): Promise<ApiKey[]> {
    return (await apiKeys.list()).map(toApiKey)
  }

  /** @throws KeyCanWithdrawError for keys that may withdraw, unless that is allowed */
  async function checkWithdrawal(
    clientRef: number,
    keys: NewApiKey,
    by: SavedBy,
  ): Promise<Withdrawal> {
    const { clientId, exchange, allowWithdrawal = false } = keys
    const { requestId, author } = by
    const withdrawal = await deps.newKeyCheck.withdrawalOf({ clientRef, requestId, keys })
    if (withdrawal.canWithdraw !== true || allowWithdrawal) return withdrawal
    const after = { exchange, canWithdraw: true }
    const entry = aboutClient(author, clientId, { action: 'exchange-keys.refused', after })
    await deps.audit.append(entry)
    throw new KeyCanWithdrawError(EXCHANGE_NAMES[exchange])
  }

  return {
    list,

    /**
     * Asks the exchange what keys may do, before another administrator decides.
     * @throws ClientNotFoundError, KeyCanWithdrawError
     */
    async check(keys: NewApiKey, by: SavedBy): Promise<AuditFacts> {
      return toFacts(await checkWithdrawal(await clientRefOf(keys.clientId), keys, by))
    },

    /**
     * Replaces the client's keys for this exchange.
     * @throws ClientNotFoundError, KeyCanWithdrawError
     */
    async save(keys: NewApiKey, by: SavedBy): Promise<ApiKey> {
      const { exchange, note, passphrase, allowWithdrawal = false } = keys
      const clientRef = await clientRefOf(keys.clientId)
      const withdrawal = await checkWithdrawal(clientRef, keys, by)
      const sealer = await sealing.current()
      const seal = (field: 'apiKey' | 'apiSecret' | 'passphrase', text: string) =>
        sealer.seal(text, { clientRef, exchange, field })
      const columns = {
        clientRef,
        exchange,
        apiKeySealed: seal('apiKey', keys.apiKey),
        apiSecretSealed: seal('apiSecret', keys.apiSecret),
        // Some exchanges have no passphrase: one that a form sends for them is not stored.
        passphraseSealed:
          passphrase === undefined || passphrase === '' || !keysOf(exchange).hasPassphrase
            ? null
            : seal('passphrase', passphrase),
        keyId: sealer.keyId,
        note: note === undefined || note.trim() === '' ? null : note.trim(),
        canWithdraw: withdrawal.canWithdraw,
        createdAtMs: nowMs(),
      }
      const row = await apiKeys.upsert(columns, (after, replaced) =>
        aboutClient(by.author, keys.clientId, {
          action: 'exchange-keys.saved',
          before: replaced === undefined ? null : keyFacts(replaced),
          after: {
            ...keyFacts(after),
            ...(allowWithdrawal ? { withdrawalAllowed: true } : {}),
            ...toFacts(withdrawal),
          },
        }),
      )
      return toApiKey({
        ...row,
        clientId: keys.clientId,
        hasPassphrase: row.passphraseSealed !== null,
      })
    },

    /** @throws ClientNotFoundError, ApiKeyNotFoundError */
    async remove(clientId: string, exchange: ExchangeCode, author: Author): Promise<void> {
      const removed = await apiKeys.remove(await clientRefOf(clientId), exchange, (row) =>
        aboutClient(author, clientId, { action: 'exchange-keys.deleted', before: keyFacts(row) }),
      )
      if (!removed) throw new ApiKeyNotFoundError(EXCHANGE_NAMES[exchange], clientId)
    },
  }
}
export type ApiKeyService = ReturnType<typeof createApiKeyService>

function toFacts({ canWithdraw, why }: Withdrawal): AuditFacts {
  return { canWithdraw, ...(why === undefined ? {} : { withdrawalUnknown: why }) }
}
