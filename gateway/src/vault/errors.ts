import { createError } from '@fastify/error'
import { NEW_PASSWORD_LENGTH_MIN } from 'schema'

/** At start: the given text is not a valid master key. The message never contains the value. */
export const InvalidMasterKeyError = createError<[source: string, reason: string]>(
  'INVALID_MASTER_KEY',
  'The master key from %s cannot be used: %s; create one with "openssl rand -base64 32"',
)

/** At start: other users of the machine can read the key file. */
export const ExposedMasterKeyError = createError<[path: string, mode: string]>(
  'EXPOSED_MASTER_KEY',
  'The master key file "%s" can be read by others (mode %s); run "chmod 600" on it, and consider rotating the key',
)

/** At start: a key file was named, or is needed, and cannot be read or created. */
export const MasterKeyFileError = createError<
  [path: string, reason: string, options?: ErrorOptions]
>('MASTER_KEY_FILE', 'The master key file "%s" cannot be used: %s')

/** The reason of a MasterKeyFileError for a changed file that lacks the current key. */
export const lacksKey = (keyId: string): string =>
  `it lacks the key ${keyId} that the database is sealed with; put the right file back. Nothing was changed, and a running gateway keeps using the keys that it has`

/** At start: no key is given, and the database is on a server, so no folder is beside it. */
export const MasterKeyNeededError = createError(
  'MASTER_KEY_NEEDED',
  'The master key is not set; with a database on a server, set MASTER_KEY or MASTER_KEY_FILE',
)

/** At start: the database is already sealed, so a new key could not open it. */
export const MissingMasterKeyError = createError<[expectedKeyId: string, path: string]>(
  'MISSING_MASTER_KEY',
  'The database is sealed with the master key %s, which was not found; put its file back at "%s", or set MASTER_KEY or MASTER_KEY_FILE',
)

/**
 * At start: the given key is not the one that sealed the database. Key ids are fingerprints, not
 * secrets.
 */
export const WrongMasterKeyError = createError<[expectedKeyId: string, givenKeyIds: string]>(
  'WRONG_MASTER_KEY',
  'The database is sealed with the master key %s, but %s was given. Nothing was changed; set MASTER_KEY or MASTER_KEY_FILE to the first one',
)

/**
 * At run time: the gateway lacks the key that the database names. The message is for callers;
 * `cause` has the ids of the keys, for the log.
 */
export const MasterKeyUnavailableError = createError<[options?: ErrorOptions]>(
  'MASTER_KEY_UNAVAILABLE',
  'The gateway does not have the master key that its database is sealed with. Its log names both keys; its operator must put the right one back',
  503,
)

/** A stored secret was sealed with another key or for another row, or was altered. */
export const UnreadableSecretError = createError<
  [field: string, remedy: string, options?: ErrorOptions]
>(
  'UNREADABLE_SECRET',
  'The stored %s cannot be opened with the master key of this gateway; %s',
  503,
)

/** More sign-ins at once than the machine should hash. */
export const PasswordQueueFullError = createError<[]>(
  'SIGN_IN_BUSY',
  'Too many people are signing in at the moment; try again in a few seconds',
  503,
)

export const PasswordTooShortError = createError(
  'PASSWORD_TOO_SHORT',
  `A new password has at least ${NEW_PASSWORD_LENGTH_MIN} characters`,
  400,
)

export const PasswordTooCommonError = createError(
  'PASSWORD_TOO_COMMON',
  'This password is one of the first that others would try, or it is made of the e-mail address; choose another one',
  400,
)
