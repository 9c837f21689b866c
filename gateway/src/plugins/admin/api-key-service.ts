import { type ApiKey, EXCHANGE_NAMES, type ExchangeCode, type NewApiKey } from 'schema'
import { keysOf } from '../../exchanges/keys.ts'
import type { ApiKeyListRow, ApiKeyRow, ApiKeyStore } from '../../store/api-key-store.ts'
import type { AuditFacts, Author } from '../../store/audit-chain.ts'
import type { AuditStore } from '../../store/audit-store.ts'
import type { ClientStore } from '../../store/client-store.ts'
import { openedKeys } from '../../upstream/client-keys.ts'
import { UnreadableSecretError } from '../../vault/errors.ts'
import type { Sealing } from '../../vault/sealing.ts'
import { aboutClient, keyFacts } from './audit-facts.ts'
import { ApiKeyNotFoundError, ClientNotFoundError, KeyCanWithdrawError } from './errors.ts'
import type { NewKeyCheck, NewKeyFacts } from './new-key-check.ts'

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

  /**
   * Asks the exchange about keys.
   * @throws KeyCanWithdrawError for keys that may withdraw, unless that is allowed
   */
  async function factsOf(clientRef: number, keys: NewApiKey, by: SavedBy): Promise<NewKeyFacts> {
    const { clientId, exchange, allowWithdrawal = false } = keys
    const { requestId, author } = by
    const facts = await deps.newKeyCheck.factsOf({ clientRef, requestId, keys })
    if (facts.canWithdraw !== true || allowWithdrawal) return facts
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
      return toFacts(await factsOf(await clientRefOf(keys.clientId), keys, by))
    },

    /**
     * Replaces the client's keys for this exchange. What the client has open stays its own when the
     * new keys are certainly of the same account: they are the same API key, or the exchange gives
     * both the same account id.
     * @throws ClientNotFoundError, KeyCanWithdrawError
     */
    async save(keys: NewApiKey, by: SavedBy): Promise<ApiKey> {
      const { exchange, note, passphrase, allowWithdrawal = false } = keys
      const clientRef = await clientRefOf(keys.clientId)
      const facts = await factsOf(clientRef, keys, by)
      const stored = await apiKeys.find(clientRef, exchange)
      const isSameAccount = await sameAccountCheck(deps, stored, { keys, facts, by })
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
        canWithdraw: facts.canWithdraw,
        accountUid: facts.accountUid ?? null,
        createdAtMs: nowMs(),
      }
      const toEntry = (after: ApiKeyRow, replaced: ApiKeyRow | undefined) =>
        aboutClient(by.author, keys.clientId, {
          action: 'exchange-keys.saved',
          before: replaced === undefined ? null : keyFacts(replaced),
          after: {
            ...keyFacts(after),
            ...(allowWithdrawal ? { withdrawalAllowed: true } : {}),
            keepsOwnPositions: after.accountRef !== null,
            ...toFacts(facts),
          },
        })
      const row = await apiKeys.upsert(columns, toEntry, isSameAccount)
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

function toFacts({ canWithdraw, why }: NewKeyFacts): AuditFacts {
  return { canWithdraw, ...(why === undefined ? {} : { withdrawalUnknown: why }) }
}

interface NewKeys {
  readonly keys: NewApiKey
  readonly facts: NewKeyFacts
  readonly by: SavedBy
}

/**
 * Whether new keys are of the account of those that they replace, where the account's id is not
 * stored with these: they have the same API key, or the exchange is asked for it while they still
 * work.
 */
async function sameAccountCheck(
  { newKeyCheck, sealing }: ApiKeyServiceDeps,
  stored: ApiKeyRow | undefined,
  { keys, facts: { accountUid }, by: { requestId } }: NewKeys,
): Promise<(replaced: ApiKeyRow) => boolean> {
  const { clientId, exchange, apiKey } = keys
  const before = stored && opened(sealing, stored)
  const isUnknown = stored?.accountUid === null && accountUid !== undefined
  const asked =
    stored !== undefined && before !== undefined && isUnknown && before.apiKey !== apiKey
      ? await newKeyCheck.factsOf({
          ...{ clientRef: stored.clientRef, requestId },
          keys: { clientId, exchange, ...before },
        })
      : undefined
  const isOfStored = asked?.accountUid !== undefined && asked.accountUid === accountUid
  // Another administrator may have replaced them in between.
  return (replaced) =>
    (isOfStored && replaced.id === stored?.id) || opened(sealing, replaced)?.apiKey === apiKey
}

/** Undefined when they cannot be opened. */
function opened(sealing: Sealing, row: ApiKeyRow) {
  try {
    return openedKeys(sealing, row)
  } catch (error) {
    if (error instanceof UnreadableSecretError) return undefined
    throw error
  }
}
