import type { ClientRow, ClientStore } from '../../store/client-store.ts'
import type { SecretStore } from '../../store/secret-store.ts'
import type { ClientSecrets } from '../../vault/client-secret.ts'

export interface SecretCheckDeps {
  readonly clients: Pick<ClientStore, 'findByClientId'>
  readonly secretStore: Pick<SecretStore, 'findOld'>
  readonly secrets: Pick<ClientSecrets, 'match' | 'dummyHash'>
  readonly nowMs: () => number
}

/** A client, and the preview of the secret that it was found by. */
export interface FoundClient {
  readonly client: ClientRow
  readonly preview: string
}

/** The row id of no client. */
const NOBODY = 0

/**
 * Finds the client with an id and one of its secrets, the current one or the old one. An unknown id
 * and a wrong secret take the same time, and so do a client with and without an old secret.
 */
export function createSecretCheck({ clients, secretStore, secrets, nowMs }: SecretCheckDeps) {
  return async (clientId: string, secret: string): Promise<FoundClient | undefined> => {
    const client = await clients.findByClientId(clientId)
    const old = await secretStore.findOld(client?.id ?? NOBODY, nowMs())
    const { dummyHash } = secrets
    const match = secrets.match(secret, [client?.secretHash ?? dummyHash, old?.hash ?? dummyHash])
    if (client === undefined || match === -1) return undefined
    return { client, preview: match === 0 ? client.secretPreview : (old?.preview ?? '') }
  }
}
export type SecretCheck = ReturnType<typeof createSecretCheck>
