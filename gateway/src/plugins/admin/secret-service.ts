import {
  OLD_SECRET_SECONDS,
  type RotatedSecret,
  type SecretList,
  type SecretRotation,
} from 'schema'
import type { Author } from '../../store/audit-chain.ts'
import type { ClientStore } from '../../store/client-store.ts'
import type { SecretStore, SecretUseRow } from '../../store/secret-store.ts'
import type { ClientSecrets } from '../../vault/client-secret.ts'
import { aboutClient } from './audit-facts.ts'
import { ClientNotFoundError } from './errors.ts'

export interface SecretServiceDeps {
  readonly clients: Pick<ClientStore, 'find'>
  readonly secretStore: Pick<SecretStore, 'findOld' | 'rotate' | 'endOld' | 'uses'>
  readonly secrets: Pick<ClientSecrets, 'make'>
  readonly nowMs: () => number
}

export interface Rotation {
  readonly clientId: string
  readonly rotated: RotatedSecret
}

/** The secrets of a client: list, rotate, end the old one. */
export function createSecretService(deps: SecretServiceDeps) {
  const { clients, secretStore, secrets, nowMs } = deps

  return {
    /** @throws ClientNotFoundError */
    async list(id: number): Promise<SecretList> {
      const client = await clients.find(id)
      if (client === undefined) throw new ClientNotFoundError(String(id))
      const uses = await secretStore.uses(id)
      const old = await secretStore.findOld(id, nowMs())
      return {
        current: withUse(client.secretPreview, uses),
        old:
          old === undefined
            ? null
            : { ...withUse(old.preview, uses), expiresAt: toText(old.expiresAtMs) },
      }
    },

    /** @throws ClientNotFoundError */
    async rotate(
      id: number,
      { oldSecretValidSeconds }: SecretRotation,
      author: Author,
    ): Promise<Rotation> {
      const { secret, hash, preview } = secrets.make()
      const validMs = (oldSecretValidSeconds ?? OLD_SECRET_SECONDS) * 1000
      const now = nowMs()
      const oldExpiresAtMs = validMs === 0 ? null : now + validMs
      const next = { secretHash: hash, secretPreview: preview }
      const oldSecretExpiresAt = oldExpiresAtMs === null ? null : toText(oldExpiresAtMs)
      const client = await secretStore.rotate(id, next, oldExpiresAtMs, now, (before) =>
        aboutClient(author, before.clientId, {
          action: 'client-secret.rotated',
          before: { secretPreview: before.secretPreview },
          after: { secretPreview: preview, oldSecretExpiresAt },
        }),
      )
      if (client === undefined) throw new ClientNotFoundError(String(id))
      return {
        clientId: client.clientId,
        rotated: { clientSecret: secret, secretPreview: preview, oldSecretExpiresAt },
      }
    },

    /**
     * Ends the old secret, and revokes the tokens of the client.
     * @returns the id that its bot signs in with
     * @throws ClientNotFoundError
     */
    async endOld(id: number, author: Author): Promise<string> {
      const client = await secretStore.endOld(id, nowMs(), ({ clientId, secretPreview }, old) =>
        aboutClient(author, clientId, {
          action: 'client-secret.old-ended',
          before: old === undefined ? null : { oldSecretPreview: old.preview },
          after: { secretPreview },
        }),
      )
      if (client === undefined) throw new ClientNotFoundError(String(id))
      return client.clientId
    },
  }
}
export type SecretService = ReturnType<typeof createSecretService>

function withUse(preview: string, uses: readonly SecretUseRow[]) {
  const use = uses.find((one) => one.preview === preview)
  return {
    preview,
    lastUsedAt: use === undefined ? null : toText(use.usedAtMs),
    lastUsedFrom: use?.address ?? null,
  }
}

const toText = (atMs: number) => new Date(atMs).toISOString()
