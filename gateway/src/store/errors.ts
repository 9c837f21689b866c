import { createError } from '@fastify/error'

/** Disk full, read-only, locked: nothing was written. `cause` says what SQLite said. */
export const StoreUnwritableError = createError<[options?: ErrorOptions]>(
  'STORE_UNWRITABLE',
  'The gateway cannot write its database at the moment, so the request was not accepted; try again later',
  503,
)

/** The file was removed, moved or replaced while it was open: what is written now is lost with the process. */
export const StoreGoneError = createError(
  'STORE_GONE',
  'The database file of the gateway was removed or replaced while it runs, so nothing that is written down would last; an administrator has to put the file back, or to stop the gateway and restore a backup',
  503,
)

/**
 * At start: the address names something else than an SQLite file. The address may hold a password:
 * only its scheme is shown.
 */
export const StoreUrlError = createError<[scheme: string]>(
  'STORE_URL',
  'DATABASE_URL must be a file, such as file:./data/sluice.db, or :memory:; this one begins with "%s"',
)

/** At start: the file or its folder cannot be made, read or written. */
export const StoreUnopenableError = createError<
  [path: string, reason: string, options?: ErrorOptions]
>('STORE_UNOPENABLE', 'The database "%s" cannot be opened: %s')

/** At start: the file is something else, or another program's database. It is left as it was. */
export const NotOurDatabaseError = createError<
  [path: string, reason: string, options?: ErrorOptions]
>(
  'NOT_OUR_DATABASE',
  'The file "%s" is not a Sluice database (%s); nothing was changed, name another file with DATABASE_URL or on the command line',
)

/** At start: a newer Sluice has migrated the database. It is left as it was. */
export const StoreTooNewError = createError<[path: string]>(
  'STORE_TOO_NEW',
  'The database "%s" was written by a newer version of Sluice; start that version, or restore a backup made by this one',
)

/** The e-mail address belongs to an admin already, in whatever case. */
export const AdminExistsError = createError<[email: string]>(
  'ADMIN_EXISTS',
  'There already is an admin with the e-mail "%s"',
  409,
)

/** Another client credential has the client id. */
export const ClientIdTakenError = createError<[clientId: string]>(
  'CLIENT_ID_TAKEN',
  'The client id "%s" is taken; choose another one',
  409,
)

/** The client was deleted between its look-up and the write that refers to it. */
export const ClientGoneError = createError<[options?: ErrorOptions]>(
  'CLIENT_NOT_FOUND',
  'The client credential does not exist any more',
  404,
)

export const StoreInUseError = createError<[path: string, options?: ErrorOptions]>(
  'STORE_IN_USE',
  'Another gateway runs on the database %s; stop it first, or give this one its own DATABASE_URL',
  500,
)

/** A command of this version beside a gateway of an older one. The database is left as it was. */
export const GatewayOlderError = createError<[path: string]>(
  'GATEWAY_OLDER',
  'The gateway that runs on the database "%s" is older than this command, which would change the tables under it; nothing was changed. Restart the gateway with this version, then run this again',
)

/** Another command changes the master key of this database. It goes on undisturbed. */
export const RotationRunningError = createError<[path: string, options?: ErrorOptions]>(
  'ROTATION_RUNNING',
  'Another command works on the master key of the database %s at this moment (npm run rotate-key or restore); this one changed nothing. Wait for its end, then run this again if it is still needed',
)

/** Root, beside a database that belongs to another user. */
export const WrongUserError = createError<[path: string, owner: number]>(
  'WRONG_USER',
  'The database "%s" belongs to user %d, and this runs as root: what it makes the gateway could not read. Nothing was changed; run it as that user',
)

/** The file cannot be trusted: SQLite found pages or references that do not fit together. */
export const DamagedDatabaseError = createError<[path: string, found: string]>(
  'DAMAGED_DATABASE',
  'The database "%s" is damaged (%s); use another backup, nothing was changed',
)

/** A backup cannot be written where it was asked for. Nothing was left there. */
export const BackupTargetError = createError<
  [path: string, reason: string, options?: ErrorOptions]
>('BACKUP_TARGET', 'The backup "%s" cannot be written: %s')

/** What was named is no backup that can be put in the place of the database. */
export const BackupUnusableError = createError<
  [path: string, reason: string, options?: ErrorOptions]
>('BACKUP_UNUSABLE', 'The backup "%s" cannot be used: %s; nothing was changed')

/** There is a database already, and nobody said that it may be put aside. */
export const RestoreOverwritesError = createError<[path: string]>(
  'RESTORE_OVERWRITES',
  'There is a database at "%s"; nothing was changed. With --replace the backup takes its place, and it is kept under another name',
)
