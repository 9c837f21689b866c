import { createError } from '@fastify/error'

/** The keys come from the environment, which only a person can change. */
export const NoNewKeyError = createError<[]>(
  'NO_NEW_KEY',
  'MASTER_KEY holds one key, and this command cannot change the environment of the gateway. Create a key with "openssl rand -base64 32", set MASTER_KEY to "<old key>,<new key>", restart the gateway, and run this command again with the same MASTER_KEY. Or put the key into a file and set MASTER_KEY_FILE; then no restart is needed',
)

/**
 * A gateway does not report that it has loaded the keys. Nothing was sealed with a key
 * that it lacks.
 */
export const KeyNotTakenError = createError<[nodes: string, source: string]>(
  'KEY_NOT_TAKEN',
  'The gateway (%s) has not loaded the keys from %s. Check that it uses the same source and can read it; its log has the reason. Where several gateways share PostgreSQL, copy the key file to the machine of each. Their requests still work. Run this command again, or restart the gateway first',
)

/** Older keys are still needed to open sealed values. */
export const UnsealedRowsError = createError<[]>(
  'ROTATION_UNFINISHED',
  'Some data is not sealed with the newest key yet; run "npm run rotate-key" first',
)

/** Older keys are still needed to verify tokens. */
export const OldKeyNeededError = createError<[until: string]>(
  'OLD_KEY_NEEDED',
  'Tokens or sessions signed with an older key are valid until %s. Run this command again after that, or now with --end-tokens: bots then get new tokens automatically, and administrators sign in again',
)

/** Somebody reads the write-ahead log, which still has what the old key sealed. */
export const OldTextsRemainError = createError<[]>(
  'OLD_TEXTS_REMAIN',
  "The old key is no longer needed, but what it sealed is still in the database's write-ahead log, because another process reads it (an export or a backup). Run this command again when that has ended",
)
