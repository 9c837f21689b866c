import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import {
  ACCOUNT_KINDS,
  APPROVAL_STATES,
  type ClientLimits,
  EXCHANGES,
  type Permission,
  ROLES,
  SECOND_FACTOR_KINDS,
  SIGN_IN_FACTORS,
  type Stop,
} from 'schema'

/**
 * People who sign in at the console. A disabled admin keeps the row, so that the history stays
 * complete.
 */
export const admins = sqliteTable(
  'admins',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    email: text('email').notNull(),
    /** Empty: the person has none, and signs in at the OpenID Connect provider. */
    passwordHash: text('password_hash').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    disabledAtMs: integer('disabled_at_ms'),
    role: text('role', { enum: ROLES }).notNull().default('admin'),
    /** Null before the first time. Sessions are removed, and this stays. */
    lastSignInAtMs: integer('last_sign_in_at_ms'),
  },
  (table) => [
    // Sign-in by e-mail in upper or lower case; no two admins may differ only in case.
    uniqueIndex('admins_email_unique').on(sql`lower(${table.email})`),
  ],
)

/** Issued admin tokens by token id, so that signing out takes effect immediately. */
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
    /** To the minute. A session that is not used ends before it expires. */
    lastUsedAtMs: integer('last_used_at_ms').notNull().default(0),
    /** The user agent that signed in, cut off. */
    device: text('device'),
    /** Where it began. */
    address: text('address'),
    /** When the person last showed a factor; 0: long ago. */
    confirmedAtMs: integer('confirmed_at_ms').notNull().default(0),
    /** The factor that was shown last. */
    factor: text('factor', { enum: SIGN_IN_FACTORS }).notNull().default('password'),
  },
  (table) => [
    // For ending all sessions of one admin, and for the cascade.
    index('admin_sessions_admin').on(table.adminId),
    // For removing expired sessions in steps.
    index('admin_sessions_expires').on(table.expiresAtMs),
  ],
)

/**
 * Where admins signed in from in the last weeks. A flood of guesses does not keep them from signing
 * in from there.
 */
export const adminAddresses = sqliteTable(
  'admin_addresses',
  {
    adminId: integer('admin_id')
      .notNull()
      .references(() => admins.id, { onDelete: 'cascade' }),
    /** As attempts are counted: of IPv6 the network. */
    address: text('address').notNull(),
    lastAtMs: integer('last_at_ms').notNull(),
  },
  (table) => [
    // For the look-up at a sign-in, and for the cascade.
    primaryKey({ columns: [table.adminId, table.address] }),
  ],
)

/**
 * Who signs in at an OpenID Connect provider: the provider's name for a person, and the admin that
 * it belongs to.
 */
export const openIdIdentities = sqliteTable(
  'openid_identities',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    adminId: integer('admin_id')
      .notNull()
      .references(() => admins.id, { onDelete: 'cascade' }),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    // For the look-up at a sign-in.
    primaryKey({ columns: [table.issuer, table.subject] }),
    // For the identity of one admin, and for the cascade; of one provider an admin has one.
    uniqueIndex('openid_identities_admin').on(table.adminId, table.issuer),
  ],
)

/** What an admin shows besides the password. A column of the other kind is null. */
export const secondFactors = sqliteTable(
  'second_factors',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    adminId: integer('admin_id')
      .notNull()
      .references(() => admins.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: SECOND_FACTOR_KINDS }).notNull(),
    name: text('name').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Null until it was shown for the first time: before that it counts for nothing. */
    confirmedAtMs: integer('confirmed_at_ms'),
    lastUsedAtMs: integer('last_used_at_ms'),
    /** TOTP: the secret, sealed by the vault. */
    secretSealed: text('secret_sealed'),
    /** TOTP: the master key that sealed it. */
    keyId: text('key_id'),
    /** TOTP: the time step of the last code that was taken. */
    lastStep: integer('last_step'),
    /** Passkey: base64url, as the browser names it. */
    credentialId: text('credential_id'),
    /** Passkey: COSE, base64url. */
    publicKey: text('public_key'),
    /** Passkey: how often the authenticator says that it signed. */
    counter: integer('counter'),
    /** Passkey: how the browser reaches it. */
    transports: text('transports', { mode: 'json' }).$type<readonly string[]>(),
    /** Passkey: the host name that it is for. */
    rpId: text('rp_id'),
  },
  (table) => [
    // For the factors of one admin, and for the cascade.
    index('second_factors_admin').on(table.adminId),
    // A passkey belongs to one admin.
    uniqueIndex('second_factors_credential').on(table.credentialId),
  ],
)

/** Codes for an admin who lost the second factor, each for one use. */
export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    adminId: integer('admin_id')
      .notNull()
      .references(() => admins.id, { onDelete: 'cascade' }),
    hash: text('hash').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    usedAtMs: integer('used_at_ms'),
  },
  (table) => [
    // For the codes of one admin, and for the cascade.
    index('recovery_codes_admin').on(table.adminId),
  ],
)

/**
 * What an administrator asked for and another one decides. An `id` is never reused: the sealed
 * request belongs to it.
 */
export const approvals = sqliteTable(
  'approvals',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** The operation id of the endpoint that was called. */
    action: text('action').notNull(),
    subjectKind: text('subject_kind').notNull(),
    subject: text('subject').notNull(),
    /** JSON of what it changes, as it was; null when there was nothing. It contains no secret. */
    before: text('before'),
    /** JSON of what was asked for, likewise. */
    after: text('after'),
    /** SHA-256 of everything that must not change until it is approved. */
    basis: text('basis').notNull(),
    /** The request, sealed by the vault; null once it is decided. */
    requestSealed: text('request_sealed'),
    /** The master key that sealed it. */
    keyId: text('key_id'),
    requestedBy: integer('requested_by')
      .notNull()
      .references(() => admins.id, { onDelete: 'cascade' }),
    requestedAtMs: integer('requested_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    state: text('state', { enum: APPROVAL_STATES }).notNull().default('waiting'),
    /** The e-mail of who decided. */
    decidedBy: text('decided_by'),
    decidedAtMs: integer('decided_at_ms'),
    reason: text('reason'),
  },
  (table) => [
    // For the list of one state, and for what expires.
    index('approvals_state').on(table.state, table.expiresAtMs),
    // For the cascade.
    index('approvals_requested_by').on(table.requestedBy),
  ],
)

/**
 * Client credentials. An `id` is never reused after a deletion, because tokens and logs refer to
 * it.
 */
export const clients = sqliteTable('clients', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  // The constraint's index serves the token endpoint.
  clientId: text('client_id').notNull().unique(),
  description: text('description'),
  secretHash: text('secret_hash').notNull(),
  secretPreview: text('secret_preview').notNull(),
  active: integer('active', { mode: 'boolean' }).notNull().default(true),
  // Never empty; in the order of the catalogue.
  permissions: text('permissions', { mode: 'json' })
    .$type<readonly Permission[]>()
    .notNull()
    .default(['market', 'account', 'trade']),
  /** Null when none were ever set. */
  limits: text('limits', { mode: 'json' }).$type<ClientLimits>(),
  /** Null unless a stop is in force (`stops`). */
  stoppedAtMs: integer('stopped_at_ms'),
  stopReason: text('stop_reason'),
  createdAtMs: integer('created_at_ms').notNull(),
  updatedAtMs: integer('updated_at_ms').notNull(),
})

/** Earlier secrets of clients, which work until they expire. The current one is in `clients`. */
export const oldSecrets = sqliteTable(
  'old_secrets',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    clientRef: integer('client_ref')
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    hash: text('hash').notNull(),
    preview: text('preview').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
  },
  (table) => [
    // For the token endpoint, and for the cascade.
    index('old_secrets_client').on(table.clientRef),
  ],
)

/**
 * When and from where a token was last requested with each secret of a client. Apart from the
 * clients, because
 * their rows are kept in memory until one changes.
 */
export const secretUses = sqliteTable(
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
  (table) => [primaryKey({ columns: [table.clientRef, table.preview] })],
)

/** The heartbeats that clients promised. */
export const heartbeats = sqliteTable('heartbeats', {
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
export const stops = sqliteTable('stops', {
  /** `client:7`, `exchange:mx` or `everything`. */
  scope: text('scope').primaryKey(),
  reason: text('reason').notNull(),
  cancelOrders: integer('cancel_orders', { mode: 'boolean' }).notNull(),
  startedAtMs: integer('started_at_ms').notNull(),
  completedAtMs: integer('completed_at_ms'),
  resumedAtMs: integer('resumed_at_ms'),
  dropped: integer('dropped').notNull().default(0),
  inFlight: integer('in_flight').notNull().default(0),
  cancelled: integer('cancelled').notNull().default(0),
  /** JSON of `Stop['failed']`. */
  failed: text('failed', { mode: 'json' }).$type<Stop['failed']>().notNull().default([]),
})

/**
 * Orders that clients placed and that may still be working: written when the exchange took them,
 * removed when they are known to have ended.
 */
export const workingOrders = sqliteTable(
  'working_orders',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    clientRef: integer('client_ref')
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    exchange: text('exchange', { enum: EXCHANGES }).notNull(),
    clientOrderId: text('client_order_id'),
    /** The exchange's id; null when its response was lost. */
    orderId: text('order_id'),
    /** JSON of the order's `OrderKey`. */
    orderKey: text('order_key').notNull(),
    /** The keys that the order was sent with. */
    keysRef: integer('keys_ref'),
    /** The journal's row that placed it; null where an earlier version did not store it. */
    journalId: text('journal_id'),
    placedAtMs: integer('placed_at_ms').notNull(),
  },
  (table) => [
    // For reading the orders of one client, and for the cascade.
    index('working_orders_client').on(table.clientRef, table.exchange),
  ],
)

/** Issued client tokens by token id. Every proxied request reads one. */
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
    // For revoking all tokens of one client, and for the cascade.
    index('client_tokens_client').on(table.clientRef),
    // For counting active tokens and removing expired ones in steps.
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
    /** Of Bitget's account, as the exchange last showed it; null while that is unknown. */
    accountKind: text('account_kind', { enum: ACCOUNT_KINDS }),
    /** Whether they may withdraw, as the exchange last reported it; null while that is unknown. */
    canWithdraw: integer('can_withdraw', { mode: 'boolean' }),
    /** When the exchange lets the keys expire; null when it does not, or when that is unknown. */
    expiresAtMs: integer('expires_at_ms'),
    /** When the exchange last reported the expiry; null when it never did. */
    expiryReadAtMs: integer('expiry_read_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    // For reading the keys of one client and exchange at dispatch; its first column serves the
    // cascade.
    uniqueIndex('api_keys_client_exchange').on(table.clientRef, table.exchange),
  ],
)

/** One row per proxied request, including rejected ones. Written once, never changed. */
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
    // For reading a time range newest first, in steps (SQLite appends the row id), and for removal
    // by age.
    index('request_logs_at').on(table.atMs),
    // For removing one client's rows in steps, and for the cascade.
    index('request_logs_client').on(table.clientRef),
    // For finding notes by a part of them; few rows have one.
    index('request_logs_note').on(table.atMs, table.note).where(sql`${table.note} is not null`),
  ],
)

/**
 * What filters of the log look at, once for all rows that have it in common. Filled later than the
 * log, for the last day only (`log-index.ts`).
 */
export const logKinds = sqliteTable(
  'log_kinds',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    endpoint: text('endpoint').notNull(),
    /** Empty for none: NULLs would not be the same kind. */
    clientId: text('client_id').notNull(),
    statusCode: integer('status_code').notNull(),
    method: text('method').notNull(),
    /** Of the error. Empty for none, likewise. */
    code: text('code').notNull(),
  },
  (table) => [
    // For finding the kind of a row.
    uniqueIndex('log_kinds_unique').on(
      table.endpoint,
      table.clientId,
      table.statusCode,
      table.method,
      table.code,
    ),
  ],
)

/**
 * Which rows of the log are of a kind. The table is WITHOUT ROWID, and a trigger removes the key of
 * a row that is removed: drizzle knows neither, both are in the migration.
 */
export const logKeys = sqliteTable(
  'log_keys',
  {
    kind: integer('kind').notNull(),
    atMs: integer('at_ms').notNull(),
    /** The row's. */
    id: integer('id').notNull(),
  },
  (table) => [
    // For reading the rows of a kind newest first.
    primaryKey({ columns: [table.kind, table.atMs, table.id] }),
  ],
)

/**
 * Totals of the log per minute and client: 24 hours of them are summed faster than rows are
 * counted.
 */
export const logMinutes = sqliteTable(
  'log_minutes',
  {
    // Minutes since 1970.
    minute: integer('minute').notNull(),
    // The client's row id, or 0 for none: NULLs would not conflict with one another in the key.
    clientKey: integer('client_key').notNull(),
    clientRef: integer('client_ref').references(() => clients.id, { onDelete: 'cascade' }),
    total: integer('total').notNull(),
    success: integer('success').notNull(),
    failed: integer('failed').notNull(),
    responseMsSum: integer('response_ms_sum').notNull(),
    /** How many of them the sum of queue times covers: an older version kept none. */
    timed: integer('timed').notNull().default(0),
    queueMsSum: integer('queue_ms_sum').notNull().default(0),
    /** How many of them were sent to an exchange, and the sum of its times. */
    sent: integer('sent').notNull().default(0),
    upstreamMsSum: integer('upstream_ms_sum').notNull().default(0),
  },
  (table) => [
    // For counting up the current minute of one client at each commit; its first column serves the
    // sum of a time range.
    primaryKey({ columns: [table.minute, table.clientKey] }),
    // For removing one client's minutes in steps, and for the cascade.
    index('log_minutes_client').on(table.clientRef),
  ],
)

/**
 * How many requests waited and were sent in a minute. A row is there for each minute in which the
 * gateway ran, for 24 hours.
 */
export const queueMinutes = sqliteTable(
  'queue_minutes',
  {
    /** When the minute began. */
    atMs: integer('at_ms').notNull(),
    exchange: text('exchange', { enum: EXCHANGES }).notNull(),
    // Of each class, the most that waited at one time.
    cancel: integer('cancels').notNull(),
    lookup: integer('lookups').notNull(),
    order: integer('orders').notNull(),
    account: integer('account_reads').notNull(),
    market: integer('market_reads').notNull(),
    sent: integer('sent').notNull(),
  },
  (table) => [
    // For writing a minute again; its first column serves reading and removal by age.
    primaryKey({ columns: [table.atMs, table.exchange] }),
  ],
)

/** The values of `AUDIT_ACTOR_KINDS`: drizzle-kit loads this file without the schema. */
export const AUDIT_ACTOR_KINDS = [
  'admin',
  'client',
  'command-line',
  'gateway',
  'anonymous',
] as const

/**
 * The audit trail: who did what, each entry with the hash of the one before (`audit-chain.ts`).
 * Nothing refers to another table, so entries survive what they are about. Triggers in the
 * migration, which drizzle does not know, refuse to change, remove or insert anything but a next
 * entry.
 */
export const auditEntries = sqliteTable('audit_entries', {
  // AUTOINCREMENT: SQLite remembers the highest id apart from the rows.
  id: integer('id').primaryKey({ autoIncrement: true }),
  atMs: integer('at_ms').notNull(),
  /** An e-mail, a client id, a user of the operating system, or `gateway`. */
  actor: text('actor').notNull(),
  actorKind: text('actor_kind', { enum: AUDIT_ACTOR_KINDS }).notNull(),
  /** The token id of the administrator's session. */
  session: text('session'),
  address: text('address'),
  /** A stable name such as `client.created`. */
  action: text('action').notNull(),
  subjectKind: text('subject_kind').notNull(),
  /** A name, not a reference. */
  subject: text('subject').notNull(),
  /** JSON of what there was before; null when there was nothing. It contains no secret. */
  before: text('before'),
  /** JSON of what there is now, likewise. */
  after: text('after'),
  requestId: text('request_id'),
  previousHash: text('previous_hash').notNull(),
  hash: text('hash').notNull(),
})

/**
 * The states of `OPEN_ORDER_STATES` and `FINAL_ORDER_STATES` as literals: drizzle-kit loads this
 * file without the schema package.
 */
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
 * Every order and cancel, written before its first byte is sent. The response is stored as well, so
 * that a retry with the same idempotency key gets it again.
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
    /** SHA-256 of method, URL and body: the same key with another fingerprint is another order. */
    fingerprint: text('fingerprint').notNull(),
    /** Null when there is none, or when the order was proven not sent, which releases the key. */
    idempotencyKey: text('idempotency_key'),
    state: text('state', { enum: ORDER_STATES }).notNull(),
    /**
     * JSON of the `OrderKey`, which finds the order at the exchange; null when it cannot be looked
     * up.
     */
    orderKey: text('trace'),
    clientOrderId: text('client_order_id'),
    /**
     * The exchange's id of the order that was placed or changed, or that a cancel names; null in
     * rows of older versions.
     */
    orderId: text('order_id'),
    /** The keys that the order was sent with: other keys may belong to another account. */
    keysRef: integer('keys_ref'),
    createdAtMs: integer('created_at_ms').notNull(),
    /** The exchange's time, so that changes of this machine's clock do not affect look-ups. */
    sentAtMs: integer('sent_at_ms'),
    settledAtMs: integer('settled_at_ms'),
    /** What the order is worth at most, millionths of a USDT; null where nobody asked. */
    valueMicros: integer('value_micros'),
    /** How many look-ups were made. */
    lookups: integer('lookups').notNull().default(0),
    /** JSON of each `LifeEvent`, with a comma after it: events are appended. */
    events: text('events').notNull().default(''),
    /** The response, once there is one. */
    statusCode: integer('status_code'),
    contentType: text('content_type'),
    body: text('body'),
  },
  (table) => [
    // For finding the first request with a key; it also keeps two requests from inserting the same
    // key at once.
    uniqueIndex('order_journal_key').on(table.clientRef, table.idempotencyKey),
    // For the orders that a start has to finish, and that must not be removed by age.
    index('order_journal_open').on(table.state).where(sql`state in ('queued', 'sent', 'unknown')`),
    // For removal by age.
    index('order_journal_created').on(table.createdAtMs),
    // For finding an order by what a person knows of it.
    index('order_journal_client_order')
      .on(table.clientOrderId)
      .where(sql`client_order_id is not null`),
    index('order_journal_order').on(table.orderId).where(sql`order_id is not null`),
  ],
)

/**
 * What else an order can be found by: the ids of calls about several orders, the old id of a
 * change,
 * and the idempotency key of an order that was not sent, which is free again.
 */
export const orderNames = sqliteTable(
  'order_names',
  {
    /** The row of the journal. */
    orderRef: text('order_ref')
      .notNull()
      .references(() => orderJournal.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
  },
  (table) => [
    // Its first column serves the cascade.
    primaryKey({ columns: [table.orderRef, table.name] }),
    index('order_names_name').on(table.name),
  ],
)

/**
 * Facts about the database itself, such as the master key's check value. The table keeps its old
 * name on disk.
 */
export const facts = sqliteTable('settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
})
