import { sql } from 'drizzle-orm'
import {
  APPROVAL_STATES,
  AUDIT_ACTOR_KINDS,
  ROLES,
  SECOND_FACTOR_KINDS,
  SIGN_IN_FACTORS,
} from 'schema'
import type { Kit } from './table-kit.ts'

type Admins = ReturnType<typeof adminsTable>

/**
 * People who sign in at the console. A disabled admin keeps the row, so that the history stays
 * complete.
 */
const adminsTable = ({ table, id, text, integer, uniqueIndex }: Kit) =>
  table(
    'admins',
    {
      id: id('id'),
      email: text('email').notNull(),
      /** Empty: the person has none, and signs in at the OpenID Connect provider. */
      passwordHash: text('password_hash').notNull(),
      createdAtMs: integer('created_at_ms').notNull(),
      disabledAtMs: integer('disabled_at_ms'),
      role: text('role', { enum: ROLES }).notNull().default('admin'),
      /** Null before the first time. Sessions are removed, and this stays. */
      lastSignInAtMs: integer('last_sign_in_at_ms'),
    },
    (row) => [
      // Sign-in by e-mail in upper or lower case; no two admins may differ only in case.
      uniqueIndex('admins_email_unique').on(sql`lower(${row.email})`),
    ],
  )

/** Issued admin tokens by token id, so that signing out takes effect immediately. */
const adminSessionsTable = ({ table, text, integer, index }: Kit, admins: Admins) =>
  table(
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
    (row) => [
      // For ending all sessions of one admin, and for the cascade.
      index('admin_sessions_admin').on(row.adminId),
      // For removing expired sessions in steps.
      index('admin_sessions_expires').on(row.expiresAtMs),
    ],
  )

/**
 * Where admins signed in from in the last weeks. A flood of guesses does not keep them from signing
 * in from there.
 */
const adminAddressesTable = ({ table, text, integer, primaryKey }: Kit, admins: Admins) =>
  table(
    'admin_addresses',
    {
      adminId: integer('admin_id')
        .notNull()
        .references(() => admins.id, { onDelete: 'cascade' }),
      /** As attempts are counted: of IPv6 the network. */
      address: text('address').notNull(),
      lastAtMs: integer('last_at_ms').notNull(),
    },
    (row) => [
      // For the look-up at a sign-in, and for the cascade.
      primaryKey({ columns: [row.adminId, row.address] }),
    ],
  )

/**
 * Who signs in at an OpenID Connect provider: the provider's name for a person, and the admin that
 * it belongs to.
 */
const openIdIdentitiesTable = (
  { table, text, integer, uniqueIndex, primaryKey }: Kit,
  admins: Admins,
) =>
  table(
    'openid_identities',
    {
      issuer: text('issuer').notNull(),
      subject: text('subject').notNull(),
      adminId: integer('admin_id')
        .notNull()
        .references(() => admins.id, { onDelete: 'cascade' }),
      createdAtMs: integer('created_at_ms').notNull(),
    },
    (row) => [
      // For the look-up at a sign-in.
      primaryKey({ columns: [row.issuer, row.subject] }),
      // For the identity of one admin, and for the cascade; of one provider an admin has one.
      uniqueIndex('openid_identities_admin').on(row.adminId, row.issuer),
    ],
  )

/** What an admin shows besides the password. A column of the other kind is null. */
const secondFactorsTable = (
  { table, id, text, integer, json, index, uniqueIndex }: Kit,
  admins: Admins,
) =>
  table(
    'second_factors',
    {
      id: id('id'),
      adminId: integer('admin_id')
        .notNull()
        .references(() => admins.id, { onDelete: 'cascade' }),
      kind: text('kind', { enum: SECOND_FACTOR_KINDS }).notNull(),
      name: text('name').notNull(),
      createdAtMs: integer('created_at_ms').notNull(),
      /** Null until it was shown for the first time, which confirms it. */
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
      transports: json('transports').$type<readonly string[]>(),
      /** Passkey: the host name that it is for. */
      rpId: text('rp_id'),
    },
    (row) => [
      // For the factors of one admin, and for the cascade.
      index('second_factors_admin').on(row.adminId),
      // A passkey belongs to one admin.
      uniqueIndex('second_factors_credential').on(row.credentialId),
    ],
  )

/** Codes for an admin who lost the second factor, each for one use. */
const recoveryCodesTable = ({ table, id, text, integer, index }: Kit, admins: Admins) =>
  table(
    'recovery_codes',
    {
      id: id('id'),
      adminId: integer('admin_id')
        .notNull()
        .references(() => admins.id, { onDelete: 'cascade' }),
      hash: text('hash').notNull(),
      createdAtMs: integer('created_at_ms').notNull(),
      usedAtMs: integer('used_at_ms'),
    },
    (row) => [
      // For the codes of one admin, and for the cascade.
      index('recovery_codes_admin').on(row.adminId),
    ],
  )

/** Changes that need a second admin. An `id` is never reused: the sealed request belongs to it. */
const approvalsTable = ({ table, id, text, integer, index }: Kit, admins: Admins) =>
  table(
    'approvals',
    {
      id: id('id'),
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
      /** The e-mail of the admin who decided. */
      decidedBy: text('decided_by'),
      decidedAtMs: integer('decided_at_ms'),
      reason: text('reason'),
    },
    (row) => [
      // For the list of one state, and for what expires.
      index('approvals_state').on(row.state, row.expiresAtMs),
      // For the cascade.
      index('approvals_requested_by').on(row.requestedBy),
    ],
  )

/**
 * The audit trail: who did what, each entry with the hash of the one before (`audit-chain.ts`).
 * Nothing refers to another table, so entries survive what they are about. Triggers in the
 * migration, which drizzle does not know, refuse to change, remove or insert anything but a next
 * entry.
 */
const auditEntriesTable = ({ table, id, text, integer }: Kit) =>
  table('audit_entries', {
    // AUTOINCREMENT: SQLite remembers the highest id apart from the rows.
    id: id('id'),
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

/** The tables of administrators, and of what they do. */
export function adminTables(kit: Kit) {
  const admins = adminsTable(kit)
  return {
    admins,
    adminSessions: adminSessionsTable(kit, admins),
    adminAddresses: adminAddressesTable(kit, admins),
    openIdIdentities: openIdIdentitiesTable(kit, admins),
    secondFactors: secondFactorsTable(kit, admins),
    recoveryCodes: recoveryCodesTable(kit, admins),
    approvals: approvalsTable(kit, admins),
    auditEntries: auditEntriesTable(kit),
  }
}
