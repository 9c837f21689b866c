import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  endOldSecret,
  issueClientToken,
  listClientSecrets,
  OLD_SECRET_SECONDS,
  rotateClientSecret,
  type SecretList,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { actsWith } from '../../http/act.ts'
import { routeOf } from '../../http/route.ts'
import type { SecretUseRow } from '../../store/secret-store.ts'
import { ClientNotFoundError, findClient, ofClient } from './clients.ts'

type SecretParts = Pick<Parts, 'stores' | 'vault' | 'nowMs'>

/** The secrets of a client: list, rotate, end the old one; and a token for an administrator. */
export const secretRoutes: FastifyPluginAsyncTypebox<SecretParts> = async (app, parts) => {
  app.route({
    ...routeOf(listClientSecrets),
    handler: async (request) => list(parts, request.params.id),
  })
  for (const routeWith of acts) app.route(routeWith(parts))
}

const act = actsWith<SecretParts>()

const acts = [
  act(rotateClientSecret, {
    entries: ['client-secret.rotated'],
    hasSecret: true,
    /** @throws ClientNotFoundError */
    async run({ params: { id }, body }, by, { stores, vault, nowMs }) {
      const { secret, hash, preview } = vault.secrets.make()
      const validMs = (body.oldSecretValidSeconds ?? OLD_SECRET_SECONDS) * 1000
      const now = nowMs()
      const oldExpiresAtMs = validMs === 0 ? null : now + validMs
      const next = { secretHash: hash, secretPreview: preview }
      const oldSecretExpiresAt = oldExpiresAtMs === null ? null : toText(oldExpiresAtMs)
      const client = await stores.secrets.rotate(id, next, oldExpiresAtMs, now, (before) =>
        by.entry({
          ...{ action: 'client-secret.rotated', ...ofClient(before.clientId) },
          before: { secretPreview: before.secretPreview },
          after: { secretPreview: preview, oldSecretExpiresAt },
        }),
      )
      if (client === undefined) throw new ClientNotFoundError(String(id))
      by.log('client secret rotated', {
        ...{ clientId: client.clientId, secretPreview: preview },
        oldSecretExpiresAt: oldSecretExpiresAt ?? 'at once',
      })
      return { clientSecret: secret, secretPreview: preview, oldSecretExpiresAt }
    },
  }),

  act(endOldSecret, {
    entries: ['client-secret.old-ended'],
    /** Ends the old secret, and revokes the tokens of the client. @throws ClientNotFoundError */
    async run({ params: { id } }, by, { stores, nowMs }) {
      const client = await stores.secrets.endOld(id, nowMs(), ({ clientId, secretPreview }, old) =>
        by.entry({
          ...{ action: 'client-secret.old-ended', ...ofClient(clientId) },
          before: old === undefined ? null : { oldSecretPreview: old.preview },
          after: { secretPreview },
        }),
      )
      if (client === undefined) throw new ClientNotFoundError(String(id))
      by.log('old client secret ended', { clientId: client.clientId })
    },
  }),

  act(issueClientToken, {
    entries: ['token.issued'],
    hasSecret: true,
    /** @throws ClientNotFoundError, and why a token is refused to the client itself */
    async run({ params: { id } }, by, { stores }) {
      const client = await findClient(stores.clients, id)
      const { clientId, permissions } = client
      const what = {
        action: 'token.issued',
        ...ofClient(clientId),
        after: { permissions },
      } as const
      const issued = await by.request.server.issueClientToken(by.request, client, () =>
        stores.audit.append(by.entry(what)),
      )
      by.log('client token issued to an administrator', { clientId })
      return issued
    },
  }),
]

/** @throws ClientNotFoundError */
async function list({ stores, nowMs }: SecretParts, id: number): Promise<SecretList> {
  const client = await findClient(stores.clients, id)
  const uses = await stores.secrets.uses(id)
  const old = await stores.secrets.findOld(id, nowMs())
  return {
    current: withUse(client.secretPreview, uses),
    old:
      old === undefined
        ? null
        : { ...withUse(old.preview, uses), expiresAt: toText(old.expiresAtMs) },
  }
}

function withUse(preview: string, uses: readonly SecretUseRow[]) {
  const use = uses.find((one) => one.preview === preview)
  return {
    preview,
    lastUsedAt: use === undefined ? null : toText(use.usedAtMs),
    lastUsedFrom: use?.address ?? null,
  }
}

const toText = (atMs: number) => new Date(atMs).toISOString()
