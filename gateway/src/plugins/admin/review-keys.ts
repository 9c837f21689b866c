import type { NewApiKey } from 'schema'
import type { Review } from '../../http/approvable.ts'
import type { ApiKeyStore } from '../../store/api-key-store.ts'
import type { ClientStore } from '../../store/client-store.ts'
import { ClientNotFoundError } from './errors.ts'

export interface KeyReviewDeps {
  readonly clients: Pick<ClientStore, 'findByClientId'>
  readonly apiKeys: Pick<ApiKeyStore, 'find'>
}

/** What new keys would change, without asking the exchange. @throws ClientNotFoundError */
export async function reviewKeys(
  { clients, apiKeys }: KeyReviewDeps,
  { clientId, exchange, note, allowWithdrawal }: NewApiKey,
): Promise<Review> {
  const client = await clients.findByClientId(clientId)
  if (client === undefined) throw new ClientNotFoundError(clientId)
  const replaced = await apiKeys.find(client.id, exchange)
  const keys =
    replaced === undefined
      ? null
      : { note: replaced.note, savedAt: new Date(replaced.createdAtMs).toISOString() }
  return {
    ...{ subjectKind: 'client', subject: clientId },
    // The new keys trade within the limits that the client has.
    before: { exchange, keys, limits: client.limits },
    after: {
      ...{ exchange, keys: { note: note ?? null } },
      ...(allowWithdrawal === true ? { withdrawalAllowed: true } : {}),
    },
    basis: [client.id, replaced?.id ?? null],
  }
}
