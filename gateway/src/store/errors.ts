import { createError } from '@fastify/error'
import { RELEASE, VERSION } from '../version.ts'

/** Nothing was written: the disk is full, read-only or locked. `cause` is the database's error. */
export const StoreUnwritableError = createError<[options?: ErrorOptions]>(
  'STORE_UNWRITABLE',
  'The gateway cannot write its database right now, so the request was not accepted; try again later',
  503,
)

/**
 * The disk is full, and what the gateway still writes goes into its reserve: no new order does. It
 * has the code of StoreUnwritableError, because callers do the same about both.
 */
export const DiskFullError = createError(
  'STORE_UNWRITABLE',
  'The disk of the gateway is full, so it takes no new orders and the request was not accepted; an administrator has to free space, then try again',
  503,
)

/** PostgreSQL cannot be reached. What was asked of it last has not been done. */
export const StoreLostError = createError<[options?: ErrorOptions]>(
  'STORE_UNWRITABLE',
  'The gateway cannot reach its database right now, so the request was not accepted; try again later',
  503,
)

/** A write has no end for too long. It has the code of StoreUnwritableError. */
export const StoreSilentError = createError(
  'STORE_UNWRITABLE',
  'The database of the gateway does not respond right now, so the request was not accepted; try again later',
  503,
)

/**
 * The connection to PostgreSQL was lost while a transaction was committed: nobody knows whether it
 * was. It has the code of StoreUnwritableError: an order whose `sent` may not be stored is not
 * sent, and what is stored again has the same effect once.
 */
export const CommitUnknownError = createError<[options?: ErrorOptions]>(
  'STORE_UNWRITABLE',
  'The connection of the gateway to its database was lost while a change was stored, and it may have been stored; look at what there is before trying again',
  503,
)

/** Whether it is unknown if a change was stored. */
export const isCommitUnknown = (error: unknown): boolean =>
  // All errors with one code are instances of one another.
  error instanceof Error && error.constructor === CommitUnknownError

/**
 * This gateway is not the owner of the exchanges: it has not become it yet, or another node has
 * taken over. Nothing was written and nothing was sent.
 */
export const NotOwnerError = createError(
  'NOT_OWNER',
  'This gateway does not hold the lock in its database under which it sends to the exchanges. Nothing was sent; try again',
  503,
)

/**
 * A connection reached another server, or the same one at an earlier state: a standby took over, or
 * a backup was restored. What this process remembers may not be in it. It has the code of
 * StoreUnwritableError.
 */
export const StoreReplacedError = createError(
  'STORE_UNWRITABLE',
  'The database of the gateway was replaced by a standby or a backup, so this process ends and the request was not accepted; try again later',
  503,
)

/** The disk is full, and a command would write into the reserve of the gateway. */
export const ReserveInUseError = createError<[path: string]>(
  'RESERVE_IN_USE',
  'The disk of the database "%s" is full, and what is left of it is the reserve of the gateway. Nothing was changed; free space, then run this command again',
)

/**
 * The file was removed, moved or replaced while it was open. Everything written now is lost when
 * the process ends.
 */
export const StoreGoneError = createError(
  'STORE_GONE',
  'The database file was removed or replaced while the gateway is running, so nothing written to it would last; an administrator must put the file back, or stop the gateway and restore a backup',
  503,
)

/** SQLite found inconsistent or invalid pages. `cause` is its error. */
export const StoreDamagedError = createError<[options?: ErrorOptions]>(
  'STORE_DAMAGED',
  'The database of the gateway is damaged, so nothing more is written to it and no order is sent; an administrator has to stop the gateway, keep a copy of the database files, and restore the latest backup, or what npm run salvage can still read',
  503,
)

/** PostgreSQL reported damaged data. `cause` is its error. */
export const PostgresDamagedError = createError<[options?: ErrorOptions]>(
  'STORE_DAMAGED',
  'The database of the gateway is damaged, as PostgreSQL reports, so nothing more is written to it and no order is sent; an administrator has to stop the gateway, keep a copy of the data of PostgreSQL, and restore the latest backup or fail over to a standby',
  503,
)

/**
 * At start: the URL names neither a file nor PostgreSQL. It may contain a password, so the message
 * shows only the scheme.
 */
export const StoreUrlError = createError<[scheme: string]>(
  'STORE_URL',
  'DATABASE_URL must name a file, such as file:./data/sluice.db, or a PostgreSQL database, such as postgres://sluice@10.0.0.2/sluice; this one begins with "%s"',
)

/** A command that works on a file was started with the URL of a server. */
export const NeedsDatabaseFileError = createError(
  'DATABASE_FILE_NEEDED',
  "This works on a database in a file, and DATABASE_URL names PostgreSQL. PostgreSQL's own tools do it there: docs/operations/postgresql.md",
)

/** At start: the file or its folder cannot be created, read or written. */
export const StoreUnopenableError = createError<
  [path: string, reason: string, options?: ErrorOptions]
>('STORE_UNOPENABLE', 'The database "%s" cannot be opened: %s')

/** At start: the file is not a database, or another program's. It was not changed. */
export const NotOurDatabaseError = createError<
  [path: string, reason: string, options?: ErrorOptions]
>(
  'NOT_OUR_DATABASE',
  'The file "%s" is not a Sluice database (%s). Nothing was changed. Name another file with DATABASE_URL or on the command line; if it was a Sluice database, it is damaged: keep a copy of its files, and restore the latest backup, or what npm run salvage can still read',
)

/**
 * At start: a newer version of Sluice has migrated the database, and this one cannot use it any
 * more. It was not changed.
 */
const StoreTooNewError = createError<[path: string, newer: string]>(
  'STORE_TOO_NEW',
  `The database "%s" was written by %s; this is Sluice ${VERSION}. Start that version, or restore a backup made by this one`,
)

/** @param release that last changed the tables; undefined: it is not kept */
export const storeTooNew = (path: string, release: string | null | undefined) =>
  new StoreTooNewError(path, release ? `Sluice ${release}` : 'a newer version of Sluice')

/** What the tables remember of each migration: the release that made it. */
export const MIGRATED_BY = RELEASE

/**
 * At start: a migration takes away what running gateways of an older version use. Nothing was
 * changed.
 */
export const NodesTooOldError = createError<[path: string, nodes: string]>(
  'NODES_TOO_OLD',
  'The gateways that run on the database "%s" (at %s) are too old for the tables of this version. Nothing was changed; upgrade them to the version before this one first, or stop them',
)

/** Another admin has this e-mail address, in upper or lower case. */
export const AdminExistsError = createError<[email: string]>(
  'ADMIN_EXISTS',
  'There already is an admin with the e-mail "%s"',
  409,
)

/** Nobody could manage the gateway any more. */
export const LastAdminError = createError(
  'LAST_ADMIN',
  'This is the last person with the role admin who can sign in; give the role to somebody else first',
  409,
)

/** Another client credential has this client id. */
export const ClientIdTakenError = createError<[clientId: string]>(
  'CLIENT_ID_TAKEN',
  'The client id "%s" is taken; choose another one',
  409,
)

/** The client was deleted between the look-up and the write that refers to it. */
export const ClientGoneError = createError<[options?: ErrorOptions]>(
  'CLIENT_NOT_FOUND',
  'The client credential no longer exists',
  404,
)

export const StoreInUseError = createError<[path: string, options?: ErrorOptions]>(
  'STORE_IN_USE',
  'Another gateway runs on the database %s; stop it first, or give this one its own DATABASE_URL',
  500,
)

/**
 * A command of this version was started beside a gateway of an older one. The database was not
 * changed.
 */
export const GatewayOlderError = createError<[path: string]>(
  'GATEWAY_OLDER',
  'The gateway running on the database "%s" is older than this command, which would change its tables. Nothing was changed; restart the gateway with this version, then run this command again',
)

/** Another command is changing the master key of this database. It is not disturbed. */
export const RotationRunningError = createError<[path: string, options?: ErrorOptions]>(
  'ROTATION_RUNNING',
  'Another command is working on the master key of the database %s (npm run rotate-key or restore). Nothing was changed; wait until it has finished, then run this command again if it is still needed',
)

/** Another backup of this database is being made. It is not disturbed. */
export const BackupRunningError = createError<[path: string, options?: ErrorOptions]>(
  'BACKUP_RUNNING',
  'Another backup of the database %s is running. Nothing was changed; wait until it has finished, then run this command again if it is still needed',
)

/** Another command calls the exchanges for this database. Two would exceed the pace together. */
export const CallsRunningError = createError<[path: string, options?: ErrorOptions]>(
  'CALLS_RUNNING',
  'Another command (npm run doctor) calls the exchanges for the database %s. Nothing was sent; run this command again when the other one has ended',
)

/** A standby knows no locks, so nobody can tell whether a gateway sends. */
export const StandbyCallsError = createError<[name: string]>(
  'STANDBY_CALLS',
  'The database %s is a standby, which does not know whether a gateway sends to the exchanges. Nothing was sent; name the primary server in DATABASE_URL',
)

/** The command runs as root, but the database belongs to another user. */
export const WrongUserError = createError<[path: string, owner: number]>(
  'WRONG_USER',
  'The database "%s" belongs to user %d, but this command runs as root: the gateway could not read the files that it creates. Nothing was changed; run it as that user',
)

/** SQLite found inconsistent pages or references: the file cannot be trusted. */
export const DamagedDatabaseError = createError<[path: string, found: string]>(
  'DAMAGED_DATABASE',
  'The database "%s" is damaged (%s). Nothing was changed; keep it, and use another backup, or what npm run salvage can still read',
)

/** The backup cannot be written to the given path. No file was left there. */
export const BackupTargetError = createError<
  [path: string, reason: string, options?: ErrorOptions]
>('BACKUP_TARGET', 'The backup "%s" cannot be written: %s')

/** The salvaged database cannot be written to the given path. No file was left there. */
export const SalvageTargetError = createError<
  [path: string, reason: string, options?: ErrorOptions]
>('SALVAGE_TARGET', 'The new database "%s" cannot be written: %s')

/** A move is from a file to PostgreSQL, or back. */
export const MoveSameKindError = createError<[reason: string]>(
  'MOVE_SAME_KIND',
  'Nothing was moved: %s',
)

/** The copy is not what was copied. Nothing of it was kept. */
export const MoveDifferenceError = createError<[table: string, row: string]>(
  'MOVE_DIFFERENCE',
  'Nothing was moved: in the table %s, the copy differs from the original in the row with %s. Somebody else writes into one of the databases; find out who, then run this command again',
)

/** The database that a move reads cannot be moved. It was only read. */
export const MoveSourceError = createError<[name: string, reason: string, options?: ErrorOptions]>(
  'MOVE_SOURCE',
  'The database "%s" cannot be moved: %s',
)

/** The database that a move writes cannot take the rows. It is as it was. */
export const MoveTargetError = createError<[name: string, reason: string, options?: ErrorOptions]>(
  'MOVE_TARGET',
  'Nothing was moved to "%s": %s',
)

/** The given file is not a usable backup. */
export const BackupUnusableError = createError<
  [path: string, reason: string, options?: ErrorOptions]
>('BACKUP_UNUSABLE', 'The backup "%s" cannot be used: %s; nothing was changed')

/** A database exists, and the command has no --replace. */
export const RestoreOverwritesError = createError<[path: string]>(
  'RESTORE_OVERWRITES',
  'There is a database at "%s". Nothing was changed; with --replace the backup takes its place, and the current database is kept under another name',
)

export const ApprovalsFullError = createError<[most: string]>(
  'APPROVALS_FULL',
  '%s already wait for another administrator; withdraw some, or let them be decided first',
  409,
)

/** A passkey is registered already. An error of the caller: it has no stack. */
export const PasskeyTakenError = createError(
  'PASSKEY_TAKEN',
  'This passkey is in use already; choose another device',
  409,
  Error,
  false,
)

/** Whether the database itself failed, so that every other write would fail too. */
export function isStoreFailure(error: unknown): error is Error {
  return error instanceof StoreUnwritableError || error instanceof StoreDamagedError
}

/**
 * Ignores damage during the start, which continues without the failed step: readiness, the alert
 * and the rejected orders report the damage.
 */
export function passOverDamage(error: unknown): void {
  if (!(error instanceof StoreDamagedError)) throw error
}
