import { createError } from '@fastify/error'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  type ApiKey,
  deleteApiKey,
  EXCHANGE_NAMES,
  listApiKeys,
  type NewApiKey,
  saveApiKey,
} from 'schema'
import { keysOf } from '../../exchanges/keys.ts'
import { actsWith, type By, type Review } from '../../http/act.ts'
import { routeOf } from '../../http/route.ts'
import type { ApiKeyListRow, ApiKeyRow } from '../../store/api-key-store.ts'
import type { AuditFacts } from '../../store/audit-chain.ts'
import { openedKeys } from '../../upstream/client-keys.ts'
import { UnreadableSecretError } from '../../vault/errors.ts'
import type { Sealing } from '../../vault/sealing.ts'
import { findNamedClient, ofClient } from './clients.ts'
import {
  ApiKeyNotFoundError,
  type KeyParts,
  type NewKeyFacts,
  newKeyFacts,
  testKeys,
} from './key-checks.ts'

const KeyCanWithdrawError = createError<[exchange: string]>(
  'KEY_CAN_WITHDRAW',
  'This key may withdraw funds from %s, and was not stored. Sluice never withdraws: create a key without that permission, or allow it explicitly',
  422,
)

/** Exchange keys: stored sealed, listed by whether they are set, never given out again. */
export const apiKeyRoutes: FastifyPluginAsyncTypebox<KeyParts> = async (app, parts) => {
  app.route({
    ...routeOf(listApiKeys),
    handler: async () =>
      (await parts.stores.apiKeys.list()).map((row) => toApiKey(parts.vault.sealing, row)),
  })
  for (const routeWith of acts) app.route(routeWith(parts))
}

const act = actsWith<KeyParts>()

const acts = [
  act(saveApiKey, {
    entries: ['exchange-keys.saved', 'exchange-keys.refused'],
    review: ({ body }, _by, parts) => reviewKeys(parts, body),
    /**
     * Asks the exchange what keys may do, before another administrator decides.
     * @throws ClientNotFoundError, KeyCanWithdrawError
     */
    async check({ body }, by, parts) {
      const client = await findNamedClient(parts.stores.clients, body.clientId)
      return toFacts(await factsOf(parts, client.id, body, by))
    },
    /** @throws ClientNotFoundError, KeyCanWithdrawError */
    async run({ body }, by, parts) {
      const saved = await save(parts, body, by)
      by.log('exchange keys saved', { clientId: saved.clientId, exchange: saved.exchange })
      return saved
    },
  }),

  act(deleteApiKey, {
    entries: ['exchange-keys.deleted'],
    /** @throws ClientNotFoundError, ApiKeyNotFoundError */
    async run({ params: { clientId, exchange } }, by, { stores, events }) {
      const client = await findNamedClient(stores.clients, clientId)
      const removed = await stores.apiKeys.remove(client.id, exchange, (row) =>
        by.entry({
          ...{ action: 'exchange-keys.deleted', ...ofClient(clientId) },
          before: keyFacts(row),
        }),
      )
      if (!removed) throw new ApiKeyNotFoundError(EXCHANGE_NAMES[exchange], clientId)
      events.emit('keysChanged', { exchange, clientRef: client.id })
      by.log('exchange keys deleted', { clientId, exchange })
    },
  }),

  testKeys,
]

/** What new keys would change, without asking the exchange. @throws ClientNotFoundError */
async function reviewKeys(
  { stores: { clients, apiKeys } }: KeyParts,
  { clientId, exchange, note, allowWithdrawal }: NewApiKey,
): Promise<Review> {
  const client = await findNamedClient(clients, clientId)
  const replaced = await apiKeys.find(client.id, exchange)
  const keys =
    replaced === undefined
      ? null
      : { note: replaced.note, savedAt: new Date(replaced.createdAtMs).toISOString() }
  return {
    ...ofClient(clientId),
    // The new keys trade within the limits that the client has.
    before: { exchange, keys, limits: client.limits },
    after: {
      ...{ exchange, keys: { note: note ?? null } },
      ...(allowWithdrawal === true ? { withdrawalAllowed: true } : {}),
    },
    basis: [client.id, replaced?.id ?? null],
  }
}

/**
 * Asks the exchange about keys.
 * @throws KeyCanWithdrawError for keys that may withdraw, unless that is allowed
 */
async function factsOf(
  parts: KeyParts,
  clientRef: number,
  keys: NewApiKey,
  by: By<'exchange-keys.refused'>,
): Promise<NewKeyFacts> {
  const { clientId, exchange, allowWithdrawal = false } = keys
  const facts = await newKeyFacts(parts, { clientRef, requestId: by.request.id, keys })
  if (facts.canWithdraw !== true || allowWithdrawal) return facts
  const after = { exchange, canWithdraw: true }
  const entry = by.entry({ action: 'exchange-keys.refused', ...ofClient(clientId), after })
  await parts.stores.audit.append(entry)
  throw new KeyCanWithdrawError(EXCHANGE_NAMES[exchange])
}

/**
 * Replaces the client's keys for this exchange. What the client has open stays its own when the new
 * keys are certainly of the same account: they are the same API key, or the exchange gives both the
 * same account id.
 */
async function save(
  parts: KeyParts,
  keys: NewApiKey,
  by: By<'exchange-keys.saved' | 'exchange-keys.refused'>,
): Promise<ApiKey> {
  const { stores, vault, nowMs } = parts
  const { clientId, exchange, note, allowWithdrawal = false } = keys
  const { id: clientRef } = await findNamedClient(stores.clients, clientId)
  const facts = await factsOf(parts, clientRef, keys, by)
  const stored = await stores.apiKeys.find(clientRef, exchange)
  const isSameAccount = await sameAccountCheck(parts, stored, { keys, facts, by })
  const columns = {
    ...{ clientRef, exchange, ...(await sealed(vault.sealing, clientRef, keys)) },
    note: note === undefined || note.trim() === '' ? null : note.trim(),
    canWithdraw: facts.canWithdraw,
    accountUid: facts.accountUid ?? null,
    createdAtMs: nowMs(),
  }
  const toEntry = (after: ApiKeyRow, replaced: ApiKeyRow | undefined) =>
    by.entry({
      ...{ action: 'exchange-keys.saved', ...ofClient(clientId) },
      before: replaced === undefined ? null : keyFacts(replaced),
      after: {
        ...keyFacts(after),
        ...(allowWithdrawal ? { withdrawalAllowed: true } : {}),
        keepsOwnPositions: after.accountRef !== null,
        ...toFacts(facts),
      },
    })
  const row = await stores.apiKeys.upsert(columns, toEntry, isSameAccount)
  parts.events.emit('keysChanged', { exchange, clientRef })
  const hasPassphrase = row.passphraseSealed !== null
  return toApiKey(vault.sealing, { ...row, clientId, hasPassphrase })
}

async function sealed(
  sealing: Sealing,
  clientRef: number,
  { exchange, apiKey, apiSecret, passphrase }: NewApiKey,
) {
  const sealer = await sealing.current()
  const seal = (field: 'apiKey' | 'apiSecret' | 'passphrase', text: string) =>
    sealer.seal(text, { clientRef, exchange, field })
  return {
    apiKeySealed: seal('apiKey', apiKey),
    apiSecretSealed: seal('apiSecret', apiSecret),
    // Some exchanges have no passphrase: one that a form sends for them is not stored.
    passphraseSealed:
      passphrase === undefined || passphrase === '' || !keysOf(exchange).hasPassphrase
        ? null
        : seal('passphrase', passphrase),
    keyId: sealer.keyId,
  }
}

interface NewKeys {
  readonly keys: NewApiKey
  readonly facts: NewKeyFacts
  readonly by: Pick<By, 'request'>
}

/**
 * Whether new keys are of the account of those that they replace, where the account's id is not
 * stored with these: they have the same API key, or the exchange is asked for it while they still
 * work.
 */
async function sameAccountCheck(
  parts: KeyParts,
  stored: ApiKeyRow | undefined,
  { keys, facts: { accountUid }, by }: NewKeys,
): Promise<(replaced: ApiKeyRow) => boolean> {
  const { sealing } = parts.vault
  const { clientId, exchange, apiKey } = keys
  const before = stored && opened(sealing, stored)
  const isUnknown = stored?.accountUid === null && accountUid !== undefined
  const asked =
    stored !== undefined && before !== undefined && isUnknown && before.apiKey !== apiKey
      ? await newKeyFacts(parts, {
          ...{ clientRef: stored.clientRef, requestId: by.request.id },
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

/** In place of a secret: the trail shows that there is one. */
const MASKED = '***'

/** What the trail keeps of exchange keys. */
function keyFacts(row: ApiKeyRow): AuditFacts {
  const { exchange, note, passphraseSealed, testStatus, accountKind } = row
  return {
    exchange,
    apiKey: MASKED,
    apiSecret: MASKED,
    passphrase: passphraseSealed === null ? null : MASKED,
    ...{ note, testStatus, accountKind, canWithdraw: row.canWithdraw },
    createdAt: new Date(row.createdAtMs).toISOString(),
  }
}

function toFacts({ canWithdraw, why }: NewKeyFacts): AuditFacts {
  return { canWithdraw, ...(why === undefined ? {} : { withdrawalUnknown: why }) }
}

function toApiKey(sealing: Sealing, row: Omit<ApiKeyListRow, 'id' | 'clientRef'>): ApiKey {
  return {
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
  }
}
