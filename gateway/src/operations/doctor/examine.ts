import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import type { AuditHead } from '../../store/audit-chain.ts'
import { databasePath, isPostgresUrl, MEMORY_PATH } from '../../store/database-path.ts'
import { COMMIT, VERSION } from '../../version.ts'
import { checkAudit } from './check-audit.ts'
import { checkConfiguration } from './check-configuration.ts'
import { checkDatabase, type DatabaseCheck } from './check-database.ts'
import { checkExchanges, type ExchangeCheckDeps } from './check-exchanges.ts'
import { checkFiles } from './check-files.ts'
import { checkGateway } from './check-gateway.ts'
import { checkKeys } from './check-keys.ts'
import { checkLastBackup } from './check-last-backup.ts'
import { checkAdmins, checkOrders } from './check-people-and-orders.ts'
import { checkRate } from './check-rate.ts'
import { checkReserve } from './check-reserve.ts'
import { checkServer } from './check-server.ts'
import { checkStoredKeys, openStoredKeys, type StoredKey } from './check-stored-keys.ts'
import { about, type Finding } from './finding.ts'

/**
 * Checks everything that a gateway needs, whether one is running or not, and changes nothing.
 * Yields each finding immediately. The exchanges come last, because they may take seconds.
 * @param knownHeads entries of the audit trail that were seen before
 */
export async function* examine(
  env: NodeJS.ProcessEnv,
  deps: ExchangeCheckDeps,
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
  yield* await checkExchanges(config, deps)
  yield* checkStoredKeys(stored, config, deps)
}

/** Checks the database, and what only a file or only a server has. */
async function examineStore(config: Config, deps: ExchangeCheckDeps): Promise<DatabaseCheck> {
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
