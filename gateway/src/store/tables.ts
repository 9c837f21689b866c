import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { EXCHANGES, type Permission } from 'schema'

/**
 * People who sign in at the console. A disabled one keeps the row, so that the log's history stays
 * true.
 */
export const admins = sqliteTable(
  'admins',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    email: text('email').notNull(),
    passwordHash: text('password_hash').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    disabledAtMs: integer('disabled_at_ms'),
  },
  (table) => [
    // Sign-in by e-mail, whatever its case; and no two admins that differ by case alone.
    uniqueIndex('admins_email_unique').on(sql`lower(${table.email})`),
  ],
)

/** Issued admin tokens, by the token's own id, so that signing out ends one at once. */
export const adminSessions = sqliteTable(
  'admin_sessions',
  {
    jti: text('jti').primaryKey(),
    adminId: integer('admin_id')
      .notNull()
      .references(() => admins.id, { onDelete: 'cascade' }),
    issuedAtMs: integer('issued_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    revokedAtMs: integer('revoked_at_ms'),
  },
  (table) => [
    // Ending all sessions of one admin; the cascade.
    index('admin_sessions_admin').on(table.adminId),
    // Removing expired sessions in steps.
    index('admin_sessions_expires').on(table.expiresAtMs),
  ],
)

/** Client credentials. `id` is never used again after a deletion: tokens and logs refer to it. */
export const clients = sqliteTable('clients', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  // The constraint's index serves the look-up at the token endpoint.
  clientId: text('client_id').notNull().unique(),
  description: text('description'),
  secretHash: text('secret_hash').notNull(),
  secretPreview: text('secret_preview').notNull(),
  active: integer('active', { mode: 'boolean' }).notNull().default(true),
  // Never empty; the order of the catalogue.
  permissions: text('permissions', { mode: 'json' })
    .$type<readonly Permission[]>()
    .notNull()
    .default(['market', 'account', 'trade']),
  createdAtMs: integer('created_at_ms').notNull(),
  updatedAtMs: integer('updated_at_ms').notNull(),
})

/** Issued client tokens, by the token's own id: every proxied request reads one. */
export const clientTokens = sqliteTable(
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
  (table) => [
    // Revoking all tokens of one client; the cascade.
    index('client_tokens_client').on(table.clientRef),
    // Counting the active ones; removing expired ones in steps.
    index('client_tokens_expires').on(table.expiresAtMs),
  ],
)

/** Exchange keys, sealed by the vault: one set per client and exchange. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
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
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    // The keys of one client for one exchange, read at dispatch; the cascade, by its first column.
    uniqueIndex('api_keys_client_exchange').on(table.clientRef, table.exchange),
  ],
)

/** One row per proxied request, refused ones too. Written once, never changed. */
export const requestLogs = sqliteTable(
  'request_logs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    atMs: integer('at_ms').notNull(),
    method: text('method').notNull(),
    endpoint: text('endpoint').notNull(),
    statusCode: integer('status_code').notNull(),
    responseMs: integer('response_ms').notNull(),
    queueMs: integer('queue_ms').notNull(),
    upstreamMs: integer('upstream_ms'),
    clientRef: integer('client_ref').references(() => clients.id, { onDelete: 'cascade' }),
    clientId: text('client_id'),
    requestId: text('request_id').notNull(),
    exchange: text('exchange', { enum: EXCHANGES }),
    code: text('code'),
    shared: integer('shared', { mode: 'boolean' }).notNull().default(false),
    note: text('note'),
  },
  (table) => [
    // Newest first within a window, walked in steps (SQLite appends the row id); removal by age.
    index('request_logs_at').on(table.atMs),
    // Removing one client's rows in steps; the cascade.
    index('request_logs_client').on(table.clientRef),
  ],
)

/**
 * What the log adds up to, per minute and client: 24 hours of it are summed faster than rows are
 * counted.
 */
export const logMinutes = sqliteTable(
  'log_minutes',
  {
    // Minutes since 1970.
    minute: integer('minute').notNull(),
    // The client's row id, 0 when there is none: NULLs would not conflict with one another in the
    // key.
    clientKey: integer('client_key').notNull(),
    clientRef: integer('client_ref').references(() => clients.id, { onDelete: 'cascade' }),
    total: integer('total').notNull(),
    success: integer('success').notNull(),
    failed: integer('failed').notNull(),
    responseMsSum: integer('response_ms_sum').notNull(),
  },
  (table) => [
    // The running minute of one client, counted up at each commit; the window's sum, by its first
    // column.
    primaryKey({ columns: [table.minute, table.clientKey] }),
    // Removing one client's minutes in steps; the cascade.
    index('log_minutes_client').on(table.clientRef),
  ],
)

/** `OPEN_ORDER_STATES` and `FINAL_ORDER_STATES`, written out: drizzle-kit loads this file alone, without the schema package. */
export const ORDER_STATES = [
  'queued',
  'sent',
  'unknown',
  'answered',
  'refused',
  'dropped',
  'resolved',
] as const

/**
 * Every request that trades, written before its first byte is sent. What it was answered is kept, so
 * that a retry with the same idempotency key gets the same answer.
 */
export const orderJournal = sqliteTable(
  'order_journal',
  {
    /** The request's id. */
    id: text('id').primaryKey(),
    clientRef: integer('client_ref')
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    clientId: text('client_id').notNull(),
    exchange: text('exchange', { enum: EXCHANGES }).notNull(),
    method: text('method').notNull(),
    endpoint: text('endpoint').notNull(),
    /** SHA-256 over method, address and body: a key with another one is another order. */
    fingerprint: text('fingerprint').notNull(),
    /** Null when there is none, or when the order was proven not sent: the key is free again. */
    idempotencyKey: text('idempotency_key'),
    state: text('state', { enum: ORDER_STATES }).notNull(),
    /** JSON: by what the order can be found at the exchange; null when nothing can be looked up. */
    orderKey: text('trace'),
    clientOrderId: text('client_order_id'),
    /** The keys that it was sent with: with others another account would be searched. */
    keysRef: integer('keys_ref'),
    createdAtMs: integer('created_at_ms').notNull(),
    /** The exchange's time: a step of this machine's clock moves no look-up. */
    sentAtMs: integer('sent_at_ms'),
    settledAtMs: integer('settled_at_ms'),
    /** Times that the exchange was asked what became of it. */
    lookups: integer('lookups').notNull().default(0),
    /** The answer, once there is one. */
    statusCode: integer('status_code'),
    contentType: text('content_type'),
    body: text('body'),
  },
  (table) => [
    // A retry finds the first one by its key; two at once cannot both enter.
    uniqueIndex('order_journal_key').on(table.clientRef, table.idempotencyKey),
    // What a start has to finish; what must not be removed by age.
    index('order_journal_open').on(table.state).where(sql`state in ('queued', 'sent', 'unknown')`),
    // Removal by age.
    index('order_journal_created').on(table.createdAtMs),
  ],
)

/** Facts about the database itself, such as the master key's check value. The table keeps the name that it has in every file. */
export const facts = sqliteTable('settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
})
