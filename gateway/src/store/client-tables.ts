import { ACCOUNT_KINDS, type ClientLimits, EXCHANGES, type Permission, type Stop } from 'schema'
import type { Kit } from './table-kit.ts'

export type Clients = ReturnType<typeof clientsTable>

/**
 * Client credentials. An `id` is never reused after a deletion, because tokens and logs refer to
 * it.
 */
const clientsTable = ({ table, id, text, integer, flag, json }: Kit) =>
  table('clients', {
    id: id('id'),
    // The constraint's index serves the token endpoint.
    clientId: text('client_id').notNull().unique(),
    description: text('description'),
    secretHash: text('secret_hash').notNull(),
    secretPreview: text('secret_preview').notNull(),
    active: flag('active').notNull().default(true),
    // Never empty; in the order of the catalogue.
    permissions: json('permissions')
      .$type<readonly Permission[]>()
      .notNull()
      .default(['market', 'account', 'trade']),
    /** Null when none were ever set. */
    limits: json('limits').$type<ClientLimits>(),
    /** Null unless a stop is in force (`stops`). */
    stoppedAtMs: integer('stopped_at_ms'),
    stopReason: text('stop_reason'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  })

/** Earlier secrets of clients, which work until they expire. The current one is in `clients`. */
const oldSecretsTable = ({ table, id, text, integer, index }: Kit, clients: Clients) =>
  table(
    'old_secrets',
    {
      id: id('id'),
      clientRef: integer('client_ref')
        .notNull()
        .references(() => clients.id, { onDelete: 'cascade' }),
      hash: text('hash').notNull(),
      preview: text('preview').notNull(),
      expiresAtMs: integer('expires_at_ms').notNull(),
    },
    (row) => [
      // For the token endpoint, and for the cascade.
      index('old_secrets_client').on(row.clientRef),
    ],
  )

/**
 * When and from where a token was last requested with each secret of a client. Apart from the
 * clients, because their rows are kept in memory until one changes.
 */
const secretUsesTable = ({ table, text, integer, primaryKey }: Kit, clients: Clients) =>
  table(
    'secret_uses',
    {
      clientRef: integer('client_ref')
        .notNull()
        .references(() => clients.id, { onDelete: 'cascade' }),
      /** The secret's preview, which tells a client's secrets apart. */
      preview: text('preview').notNull(),
      usedAtMs: integer('used_at_ms').notNull(),
      address: text('address').notNull(),
    },
    (row) => [primaryKey({ columns: [row.clientRef, row.preview] })],
  )

/** The heartbeats that clients promised. */
const heartbeatsTable = ({ table, integer }: Kit, clients: Clients) =>
  table('heartbeats', {
    clientRef: integer('client_ref')
      .primaryKey()
      .references(() => clients.id, { onDelete: 'cascade' }),
    ttlMs: integer('ttl_ms').notNull(),
    lastAtMs: integer('last_at_ms').notNull(),
  })

/**
 * Stops of a client, an exchange or everything, the newest for each. A start completes those that
 * were not completed.
 */
const stopsTable = ({ table, text, integer, flag, json }: Kit) =>
  table('stops', {
    /** `client:7`, `exchange:mx` or `everything`. */
    scope: text('scope').primaryKey(),
    reason: text('reason').notNull(),
    cancelOrders: flag('cancel_orders').notNull(),
    startedAtMs: integer('started_at_ms').notNull(),
    completedAtMs: integer('completed_at_ms'),
    resumedAtMs: integer('resumed_at_ms'),
    dropped: integer('dropped').notNull().default(0),
    inFlight: integer('in_flight').notNull().default(0),
    cancelled: integer('cancelled').notNull().default(0),
    /** JSON of `Stop['failed']`. */
    failed: json('failed').$type<Stop['failed']>().notNull().default([]),
  })

/** Issued client tokens by token id. Every proxied request reads one. */
const clientTokensTable = ({ table, text, integer, index }: Kit, clients: Clients) =>
  table(
    'client_tokens',
    {
      jti: text('jti').primaryKey(),
      clientRef: integer('client_ref')
        .notNull()
        .references(() => clients.id, { onDelete: 'cascade' }),
      issuedAtMs: integer('issued_at_ms').notNull(),
      expiresAtMs: integer('expires_at_ms').notNull(),
      revokedAtMs: integer('revoked_at_ms'),
    },
    (row) => [
      // For revoking all tokens of one client, and for the cascade.
      index('client_tokens_client').on(row.clientRef),
      // For counting active tokens and removing expired ones in steps.
      index('client_tokens_expires').on(row.expiresAtMs),
    ],
  )

/** The gateway's own listen keys, with which bots connect to its WebSocket for MEXC spot. */
const listenKeysTable = ({ table, text, integer, index }: Kit, clients: Clients) =>
  table(
    'listen_keys',
    {
      hash: text('hash').primaryKey(),
      clientRef: integer('client_ref')
        .notNull()
        .references(() => clients.id, { onDelete: 'cascade' }),
      createdAtMs: integer('created_at_ms').notNull(),
      expiresAtMs: integer('expires_at_ms').notNull(),
    },
    (row) => [
      // For counting the keys of a client, and for the cascade.
      index('listen_keys_client').on(row.clientRef),
      // For removing expired ones.
      index('listen_keys_expires').on(row.expiresAtMs),
    ],
  )

/**
 * The accounts of keys that were removed, until there are others: what a client opened with them
 * stays its own when the next keys are of the same account.
 */
const removedKeysTable = ({ table, text, integer, primaryKey }: Kit, clients: Clients) =>
  table(
    'removed_keys',
    {
      clientRef: integer('client_ref')
        .notNull()
        .references(() => clients.id, { onDelete: 'cascade' }),
      exchange: text('exchange', { enum: EXCHANGES }).notNull(),
      /** As in `api_keys`. */
      accountUid: text('account_uid').notNull(),
      accountRef: integer('account_ref').notNull(),
    },
    (row) => [primaryKey({ columns: [row.clientRef, row.exchange] })],
  )

/** Exchange keys, sealed by the vault: one set per client and exchange. */
const apiKeysTable = ({ table, id, text, integer, flag, uniqueIndex }: Kit, clients: Clients) =>
  table(
    'api_keys',
    {
      id: id('id'),
      clientRef: integer('client_ref')
        .notNull()
        .references(() => clients.id, { onDelete: 'cascade' }),
      exchange: text('exchange', { enum: EXCHANGES }).notNull(),
      apiKeySealed: text('api_key_sealed').notNull(),
      apiSecretSealed: text('api_secret_sealed').notNull(),
      passphraseSealed: text('passphrase_sealed'),
      keyId: text('key_id').notNull(),
      note: text('note'),
      testStatus: text('test_status', { enum: ['untested', 'success', 'failure'] })
        .notNull()
        .default('untested'),
      testMessage: text('test_message'),
      testedAtMs: integer('tested_at_ms'),
      /** Of Bitget's account, as the exchange last showed it; null while that is unknown. */
      accountKind: text('account_kind', { enum: ACCOUNT_KINDS }),
      /**
       * Whether they may withdraw, as the exchange last reported it; null while that is unknown.
       */
      canWithdraw: flag('can_withdraw'),
      /** When the exchange lets the keys expire; null when it does not, or when that is unknown. */
      expiresAtMs: integer('expires_at_ms'),
      /** When the exchange last reported the expiry; null when it never did. */
      expiryReadAtMs: integer('expiry_read_at_ms'),
      createdAtMs: integer('created_at_ms').notNull(),
      /** The exchange's id of the account; null while it is unknown. */
      accountUid: text('account_uid'),
      /**
       * The id of the first keys of this account: all later ones of the same account copy it. Null:
       * these are the first ones.
       */
      accountRef: integer('account_ref'),
    },
    (row) => [
      // For reading the keys of one client and exchange at dispatch; its first column serves the
      // cascade.
      uniqueIndex('api_keys_client_exchange').on(row.clientRef, row.exchange),
    ],
  )

/** The tables of clients, their secrets, keys and stops. */
export function clientTables(kit: Kit) {
  const clients = clientsTable(kit)
  return {
    clients,
    oldSecrets: oldSecretsTable(kit, clients),
    secretUses: secretUsesTable(kit, clients),
    heartbeats: heartbeatsTable(kit, clients),
    stops: stopsTable(kit),
    clientTokens: clientTokensTable(kit, clients),
    listenKeys: listenKeysTable(kit, clients),
    removedKeys: removedKeysTable(kit, clients),
    apiKeys: apiKeysTable(kit, clients),
  }
}
