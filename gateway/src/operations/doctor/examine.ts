import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { EXCHANGES } from 'schema'
import type { Config } from '../../config.ts'
import type { AuditHead } from '../../store/audit-chain.ts'
import { databasePath, isPostgresUrl, MEMORY_PATH } from '../../store/database-path.ts'
import { reserveFileOf, sizeOf } from '../../store/sqlite/disk-reserve.ts'
import type { StoresBeside } from '../../store/stores.ts'
import { COMMIT, VERSION } from '../../version.ts'
import { CommandCalls, type CommandCallsDeps, type StoredKey } from '../command-calls.ts'
import { readDiskSpace } from '../disk-space.ts'
import { compareRate } from '../rate-setting.ts'
import { readLastBackup } from '../record-backup.ts'
import { checkConfiguration } from './check-configuration.ts'
import { checkDatabase, type DatabaseCheck } from './check-database.ts'
import { checkExchanges, checkWay } from './check-exchanges.ts'
import { checkFiles } from './check-files.ts'
import { checkGateway } from './check-gateway.ts'
import { checkKeys } from './check-keys.ts'
import { checkServer } from './check-server.ts'
import { checkStoredKeys, openStoredKeys } from './check-stored-keys.ts'
import { about, type Finding } from './finding.ts'

export interface ExamineDeps extends CommandCallsDeps {
  /** No exchange is called. */
  readonly isOffline?: boolean
}

/**
 * Checks everything that a gateway needs, whether one is running or not, and changes nothing.
 * Yields each finding immediately. The exchanges come last, because they may take minutes.
 * @param knownHeads entries of the audit trail that were seen before
 */
export async function* examine(
  env: NodeJS.ProcessEnv,
  deps: ExamineDeps,
  knownHeads: readonly AuditHead[] = [],
): AsyncGenerator<Finding, void> {
  yield about('Sluice').ok(`version ${VERSION}, ${COMMIT}`)
  yield about('Node.js').ok(`${process.version} on ${process.platform}`)
  const { config, findings } = checkConfiguration(env)
  yield* findings
  if (config === undefined) return
  yield* checkRate(config)

  let stored: readonly StoredKey[] = []
  const { findings: found, stores } = await examineStore(config, deps)
  yield* found
  try {
    if (stores !== undefined) {
      const { findings: keyFindings, ring } = await checkKeys(stores, config)
      yield* keyFindings
      if (ring !== undefined) stored = await openStoredKeys(stores, ring)
      yield await checkAdmins(stores)
      yield await checkOrders(stores)
      yield await checkAudit(stores, knownHeads)
      yield await checkLastBackup(stores, config, deps.nowMs())
    }
  } finally {
    await stores?.close()
  }
  if (deps.isOffline !== true) yield* askExchanges(config, stored, deps)
}

async function* askExchanges(
  config: Config,
  stored: readonly StoredKey[],
  deps: CommandCallsDeps,
): AsyncGenerator<Finding, void> {
  const calls = await openCalls(config, deps)
  if (!(calls instanceof CommandCalls)) return yield calls
  try {
    yield await checkWay(calls, config)
    yield* checkExchanges(calls, config)
    yield* checkStoredKeys(calls, stored)
  } finally {
    await calls.close()
  }
}

/** @returns a finding when no call may be made: what sends to the exchanges cannot be seen */
async function openCalls(config: Config, deps: CommandCallsDeps): Promise<CommandCalls | Finding> {
  try {
    return await CommandCalls.open(config, deps)
  } catch (error) {
    const { warn } = about('exchange calls')
    const message = error instanceof Error ? error.message : String(error)
    return warn(
      `none was made, because the pace could not be kept: ${message}`,
      'Nothing but the exchanges and their keys was left out. Run the doctor again when this is mended.',
    )
  }
}

/** Checks the database, and what only a file or only a server has. */
async function examineStore(config: Config, deps: CommandCallsDeps): Promise<DatabaseCheck> {
  if (isPostgresUrl(config.databaseUrl)) return checkServer(config, deps)
  const path = databasePath(config.databaseUrl)
  if (path === MEMORY_PATH) return { findings: [], stores: undefined }
  const { stores, findings } = checkDatabase(path)
  if (!existsSync(path)) return { stores, findings }
  const ofFile = [
    ...(await checkFiles(path)),
    await checkReserve(path, config),
    await checkGateway(path, config),
  ]
  return { stores, findings: [...findings, ...ofFile] }
}

/**
 * Verifies the audit trail: every hash, that no entry is missing, and that the database still
 * refuses to change it.
 * @param known entries that were seen before, in a backup or an alert
 */
async function checkAudit(
  { audit, isAuditGuarded }: Pick<StoresBeside, 'audit' | 'isAuditGuarded'>,
  known: readonly AuditHead[],
): Promise<Finding> {
  const { ok, fail } = about('audit trail')
  const { entries, head, broken } = await audit.verify(known)
  if (broken !== undefined)
    return fail(
      `from entry ${broken.id} on it is not what was written: ${broken.problem}`,
      'Somebody changed the database. Keep it, and compare with the backups (docs/operations/audit.md). After a restore, newer entries are in the database that the restore kept.',
    )
  if (!(await isAuditGuarded()))
    return fail(
      'a trigger that protects it is missing or was changed',
      'Somebody changed the database. Restore a backup that has it (docs/operations/audit.md).',
    )
  if (head === undefined) return ok('it has no entries yet')
  const seen = known.length === 0 ? '' : ', and has the entries that were seen before'
  return ok(`${entries} entries are whole${seen}; the last is ${head.id}:${head.hash}`)
}

const ADVICE = 'docs/operations/backup.md says how to make backups, and how to schedule them.'

/** Says how old the last backup is that this database knows of. */
async function checkLastBackup(
  { facts }: Pick<StoresBeside, 'facts'>,
  { backupMaxAgeMs }: Pick<Config, 'backupMaxAgeMs'>,
  nowMs: number,
): Promise<Finding> {
  const { ok, warn } = about('backup')
  const lastMs = await readLastBackup(facts)
  if (lastMs === undefined) return warn('none has been made', ADVICE)
  const found = `the last one is of ${new Date(lastMs).toISOString()}`
  return backupMaxAgeMs > 0 && nowMs - lastMs > backupMaxAgeMs
    ? warn(`${found}, older than BACKUP_MAX_AGE_HOURS allows`, ADVICE)
    : ok(found)
}

/** Checks that somebody can sign in. */
async function checkAdmins({ admins: store }: Pick<StoresBeside, 'admins'>): Promise<Finding> {
  const { ok, warn } = about('administrators')
  const admins = await store.list()
  const active = admins.filter(({ disabledAtMs }) => disabledAtMs === null).length
  if (active > 0) return ok(`${active} can sign in`)
  return warn(
    admins.length === 0 ? 'there is none' : 'all are disabled',
    'npm run admin -- create --email E, or enable',
  )
}

/** Reports orders with unknown outcomes. */
async function checkOrders({ journal }: Pick<StoresBeside, 'journal'>): Promise<Finding> {
  const { ok, warn } = about('orders')
  const { unknown } = await journal.countOpen()
  if (unknown === 0) return ok('every outcome is known or being looked up')
  return warn(
    `the outcome of ${unknown} is unknown`,
    'A running gateway looks them up at the exchange. Check any that stays unknown there by hand (docs/outcomes.md).',
  )
}

/** Checks the configured rate by the limits of each exchange. */
function checkRate({ lane }: Pick<Config, 'lane'>): readonly Finding[] {
  const { ok, warn } = about('rate limit')
  return EXCHANGES.map((exchange) => {
    const { isExceeded, found, advice } = compareRate(exchange, lane.ratePerSecond)
    return isExceeded ? warn(found, advice) : ok(found)
  })
}

/** Checks the file that the gateway gives up when the disk is full. */
async function checkReserve(
  path: string,
  { diskReserveBytes: bytes }: Pick<Config, 'diskReserveBytes'>,
): Promise<Finding> {
  const { ok, warn, fail, failed } = about('disk reserve')
  if (bytes === 0) return ok('none is kept (DISK_RESERVE_MB is 0)')
  try {
    const size = sizeOf(reserveFileOf(path))
    const neededMb = (2 * bytes) / 1024 ** 2
    if (size === 0)
      return fail(
        'the disk was full, and the reserve was given up: new orders are refused',
        `Free space on the disk of ${dirname(path)}. Within 10 seconds after ${neededMb} MB are free, a running gateway makes the reserve again and takes orders. Until then tokens, sign-in, cancels and stops work, as long as the reserve lasts.`,
      )
    if (size !== undefined) return ok(`${Math.round(size / 1024 ** 2)} MB are kept`)
    const { freeBytes = 0 } = (await readDiskSpace(path)) ?? {}
    return freeBytes < 2 * bytes
      ? warn(
          'there is none, and no room for it: a full disk will refuse tokens and sign-in too',
          `Free space: it is made once ${neededMb} MB are free (DISK_RESERVE_MB).`,
        )
      : ok('none yet: a gateway makes it when it starts')
  } catch (error) {
    return failed(error)
  }
}
