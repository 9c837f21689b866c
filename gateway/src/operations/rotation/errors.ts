import { createError } from '@fastify/error'

/** The keys are in the environment, which only a person can change. */
export const NoNewKeyError = createError<[]>(
  'NO_NEW_KEY',
  'MASTER_KEY holds one key, and a command cannot change the environment of the gateway. Make a key with "openssl rand -base64 32", set MASTER_KEY to "<old key>,<new key>", restart the gateway, and run this again with the same MASTER_KEY. Or put the key into a file and set MASTER_KEY_FILE: then no restart is needed',
)

/** A gateway runs and does not tell that it has the keys. Nothing was sealed with a key that it lacks. */
export const KeyNotTakenError = createError<[source: string]>(
  'KEY_NOT_TAKEN',
  'The running gateway has not taken the keys of %s. Does it use the same one, and may it read it? Its log says why not. Nothing fails meanwhile; run this again, or restart the gateway first',
)

/** Older keys are still needed for what is sealed. */
export const UnsealedRowsError = createError<[]>(
  'ROTATION_UNFINISHED',
  'Not everything is sealed with the newest key yet; run "npm run rotate-key" first',
)

/** Older keys are still needed for tokens. */
export const OldKeyNeededError = createError<[until: string]>(
  'OLD_KEY_NEEDED',
  'Tokens or sessions that an older key signed are good until %s. Run this again after that; or now with --end-tokens: bots get new tokens by themselves, administrators sign in again',
)
