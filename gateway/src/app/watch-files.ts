import type { FastifyInstance } from 'fastify'
import type { Alerting } from '../alerts/create-alerting.ts'
import type { Stores } from '../store/create-stores.ts'
import type { KeyRing } from '../vault/key-ring.ts'
import { watchKeys } from '../vault/key-watch.ts'
import type { AppOptions } from './app-options.ts'

/** Loads new master keys while the gateway runs. @returns a function that stops the watch */
export function watchMasterKeys(
  { log }: FastifyInstance,
  ring: KeyRing,
  facts: Stores['facts'],
  { keyFile }: Pick<Alerting, 'keyFile'>,
  { keyLookEveryMs }: AppOptions,
): Promise<() => void> {
  if (ring.isNew)
    log.warn(
      { file: ring.file },
      'a new master key was created: keep a copy apart from the database, nothing stored can be opened without it',
    )
  return watchKeys({
    ring,
    facts,
    onChange: (keyIds) => {
      log.info({ keyIds }, 'the master key file was read again')
      keyFile.loaded()
    },
    onError: (error) => {
      log.error({ err: error }, 'the master key file cannot be used')
      keyFile.rejected()
    },
    onUnrecorded: (error) =>
      log.error(
        { err: error },
        'the master keys are loaded, but this cannot be recorded in the database',
      ),
    everyMs: keyLookEveryMs,
  })
}

/**
 * Call it after the keys are recorded: a damaged database is not written any more, and the start
 * would fail there.
 */
export function watchDamage(
  { log }: FastifyInstance,
  stores: Stores,
  alerts: Pick<Alerting, 'storeDamaged'>,
): void {
  stores.onDamage((error) => {
    log.error(
      { err: error },
      'the database is damaged: stop the gateway, keep a copy of its files, then restore the latest backup or run npm run salvage (docs/operations/recovery.md)',
    )
    alerts.storeDamaged()
  })
  stores.onCheckpointFailed((error) =>
    log.error(
      { err: error },
      'the write-ahead log was not copied into the database file: it grows',
    ),
  )
  stores.checkPages()
}
