import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import type { AuditHead } from '../../store/audit-chain.ts'
import { databasePath, isPostgresUrl, MEMORY_PATH } from '../../store/database-path.ts'
import { COMMIT, VERSION } from '../../version.ts'
import { CommandCalls, type CommandCallsDeps, type StoredKey } from '../command-calls.ts'
import { checkAudit } from './check-audit.ts'
import { checkConfiguration } from './check-configuration.ts'
import { checkDatabase, type DatabaseCheck } from './check-database.ts'
import { checkExchanges, checkWay } from './check-exchanges.ts'
import { checkFiles } from './check-files.ts'
import { checkGateway } from './check-gateway.ts'
import { checkKeys } from './check-keys.ts'
import { checkLastBackup } from './check-last-backup.ts'
import { checkAdmins, checkOrders } from './check-people-and-orders.ts'
import { checkRate } from './check-rate.ts'
import { checkReserve } from './check-reserve.ts'
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
