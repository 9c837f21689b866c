import { sql } from 'drizzle-orm'
import { index, json, pgTable, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core'
import { APPROVAL_STATES, ROLES, SECOND_FACTOR_KINDS, SIGN_IN_FACTORS } from 'schema'
import { integer, text } from './columns.ts'

/**
 * People who sign in at the console. A disabled admin keeps the row, so that the history stays
 * complete.
 */
export const admins = pgTable(
  'admins',
  {
    id: integer('id').primaryKey().generatedByDefaultAsIdentity(),
    email: text('email').notNull(),
    passwordHash: text('password_hash').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    disabledAtMs: integer('disabled_at_ms'),
    role: text('role', { enum: ROLES }).notNull().default('admin'),
    lastSignInAtMs: integer('last_sign_in_at_ms'),
  },
  (table) => [
    // Sign-in by e-mail in upper or lower case; no two admins may differ only in case.
    uniqueIndex('admins_email_unique').on(sql`lower(${table.email})`),
  ],
)

/** Issued admin tokens by token id, so that signing out takes effect immediately. */
export const adminSessions = pgTable(
  'admin_sessions',
  {
    jti: text('jti').primaryKey(),
    adminId: integer('admin_id')
      .notNull()
      .references(() => admins.id, { onDelete: 'cascade' }),
    issuedAtMs: integer('issued_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    revokedAtMs: integer('revoked_at_ms'),
    lastUsedAtMs: integer('last_used_at_ms').notNull().default(0),
    device: text('device'),
    address: text('address'),
    confirmedAtMs: integer('confirmed_at_ms').notNull().default(0),
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
export const adminAddresses = pgTable(
  'admin_addresses',
  {
    adminId: integer('admin_id')
      .notNull()
      .references(() => admins.id, { onDelete: 'cascade' }),
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
export const openIdIdentities = pgTable(
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
export const secondFactors = pgTable(
  'second_factors',
  {
    id: integer('id').primaryKey().generatedByDefaultAsIdentity(),
    adminId: integer('admin_id')
      .notNull()
      .references(() => admins.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: SECOND_FACTOR_KINDS }).notNull(),
    name: text('name').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    confirmedAtMs: integer('confirmed_at_ms'),
    lastUsedAtMs: integer('last_used_at_ms'),
    secretSealed: text('secret_sealed'),
    keyId: text('key_id'),
    lastStep: integer('last_step'),
    credentialId: text('credential_id'),
    publicKey: text('public_key'),
    counter: integer('counter'),
    transports: json('transports').$type<readonly string[]>(),
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
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: integer('id').primaryKey().generatedByDefaultAsIdentity(),
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
export const approvals = pgTable(
  'approvals',
  {
    id: integer('id').primaryKey().generatedByDefaultAsIdentity(),
    action: text('action').notNull(),
    subjectKind: text('subject_kind').notNull(),
    subject: text('subject').notNull(),
    before: text('before'),
    after: text('after'),
    basis: text('basis').notNull(),
    requestSealed: text('request_sealed'),
    keyId: text('key_id'),
    requestedBy: integer('requested_by')
      .notNull()
      .references(() => admins.id, { onDelete: 'cascade' }),
    requestedAtMs: integer('requested_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    state: text('state', { enum: APPROVAL_STATES }).notNull().default('waiting'),
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
