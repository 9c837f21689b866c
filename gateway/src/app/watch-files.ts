import type { FastifyInstance } from 'fastify'
import type { Alerting } from '../alerts/create-alerting.ts'
import { runRegularly } from '../operations/run-regularly.ts'
import type { Reserve, StoreFile } from '../store/stores.ts'
import type { Time } from '../time.ts'
import { type KeyRing, type KeyWatchDeps, watchKeys } from '../vault/key-ring.ts'
import type { AppOptions } from './app-options.ts'

/** Loads new master keys while the gateway runs. @returns a function that stops the watch */
export function watchMasterKeys(
  { log }: FastifyInstance,
  ring: KeyRing,
  announce: KeyWatchDeps['announce'],
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
    announce,
    onChange: (keyIds) => {
      log.info({ keyIds }, 'the master key file was read again')
      keyFile.loaded()
    },
    onError: (error) => {
      log.error({ err: error }, 'the master key file cannot be used')
      keyFile.rejected()
    },
    onStoreError: (error) =>
      log.error(
        { err: error },
        'the database could not be asked which master key it needs, or which ones are loaded could not be recorded in it',
      ),
    everyMs: keyLookEveryMs,
  })
}

/**
 * Reports damage to a database file, and searches it for damage.
 * Call it after the keys are recorded: a damaged database is not written any more, and the start
 * would fail there.
 */
export function watchFile(
  { log }: FastifyInstance,
  file: StoreFile | undefined,
  alerts: Pick<Alerting, 'storeDamaged'>,
): void {
  file?.onDamage((error) => {
    log.error(
      { err: error },
      'the database is damaged: stop the gateway, keep a copy of its files, then restore the latest backup or run npm run salvage (docs/operations/recovery.md)',
    )
    alerts.storeDamaged()
  })
  file?.onCheckpointFailed((error) =>
    log.error(
      { err: error },
      'the write-ahead log was not copied into the database file: it grows',
    ),
  )
  file?.checkPages()
}

/** Looking takes some microseconds. */
const RESERVE_EVERY_MS = 10_000

/**
 * Makes the reserve for a full disk, now and again after it was given up, and tells when it is.
 * @returns a function that stops it
 */
export function keepReserve(
  { log }: FastifyInstance,
  reserve: Reserve | undefined,
  alerts: Pick<Alerting, 'diskFull'>,
  time: Time,
): () => void {
  if (reserve === undefined) return () => {}
  alerts.diskFull(reserve.state)
  if (reserve.state === 'given-up') log.error(GIVEN_UP)
  reserve.onChange((state) => {
    alerts.diskFull(state)
    if (state === 'given-up') log.error(GIVEN_UP)
    else if (state === 'held') log.info('the reserve for a full disk was made')
  })
  let warned = ''
  const tellOnce = (text: string, error?: unknown) => {
    if (text !== warned) log.warn({ err: error }, text)
    warned = text
  }
  return runRegularly(
    async (signal) => {
      await reserve.check(signal)
      if (reserve.state === 'none')
        tellOnce(
          `there is no room for the reserve of a full disk, so a full disk will also refuse tokens and sign-in: it needs ${(2 * reserve.bytes) / 1024 ** 2} MB of free space (DISK_RESERVE_MB)`,
        )
    },
    {
      firstAfterMs: 0,
      time,
      everyMs: RESERVE_EVERY_MS,
      onError: (error) => tellOnce('the reserve for a full disk cannot be made', error),
    },
  )
}

const GIVEN_UP =
  'the disk is full: the gateway writes into its reserve and takes no new orders until space is freed (docs/operations/recovery.md)'
