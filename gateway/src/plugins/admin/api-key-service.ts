import { type ApiKey, EXCHANGE_NAMES, type ExchangeCode, type NewApiKey } from 'schema'
import { keysOf } from '../../exchanges/keys.ts'
import type { ApiKeyListRow, ApiKeyStore } from '../../store/api-key-store.ts'
import type { Author } from '../../store/audit-chain.ts'
import type { ClientStore } from '../../store/client-store.ts'
import type { Sealing } from '../../vault/sealing.ts'
import { aboutClient, keyFacts } from './audit-facts.ts'
import { ApiKeyNotFoundError, ClientNotFoundError } from './errors.ts'

export interface ApiKeyServiceDeps {
  readonly clients: Pick<ClientStore, 'findByClientId'>
  readonly apiKeys: Pick<ApiKeyStore, 'list' | 'find' | 'upsert' | 'remove'>
  readonly sealing: Sealing
  readonly nowMs: () => number
}

/** Exchange keys: stored sealed, listed by whether they are set, never given out again. */
export function createApiKeyService({ clients, apiKeys, sealing, nowMs }: ApiKeyServiceDeps) {
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
    createdAt: new Date(row.createdAtMs).toISOString(),
  })

  async function list(): Promise<ApiKey[]> {
    return (await apiKeys.list()).map(toApiKey)
  }

  return {
    list,

    /** Replaces the client's keys for this exchange. @throws ClientNotFoundError */
    async save(keys: NewApiKey, author: Author): Promise<ApiKey> {
      const { exchange, note, passphrase } = keys
      const clientRef = await clientRefOf(keys.clientId)
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
        createdAtMs: nowMs(),
      }
      const row = await apiKeys.upsert(columns, (after, replaced) =>
        aboutClient(author, keys.clientId, {
          action: 'exchange-keys.saved',
          before: replaced === undefined ? null : keyFacts(replaced),
          after: keyFacts(after),
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
