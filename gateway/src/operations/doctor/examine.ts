import { existsSync } from 'node:fs'
import type { AuditHead } from '../../store/audit-chain.ts'
import { databasePath, MEMORY_PATH } from '../../store/database-path.ts'
import { checkAudit } from './check-audit.ts'
import { checkConfiguration } from './check-configuration.ts'
import { checkDatabase } from './check-database.ts'
import { checkExchanges, type ExchangeCheckDeps } from './check-exchanges.ts'
import { checkFiles } from './check-files.ts'
import { checkGateway } from './check-gateway.ts'
import { checkKeys } from './check-keys.ts'
import { checkLastBackup } from './check-last-backup.ts'
import { checkAdmins, checkOrders } from './check-people-and-orders.ts'
import { checkRate } from './check-rate.ts'
import { checkReserve } from './check-reserve.ts'
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
  const { ok } = about('Node.js')
  yield ok(`${process.version} on ${process.platform}`)
  const { config, findings } = checkConfiguration(env)
  yield* findings
  if (config === undefined) return
  yield* checkRate(config)

  let stored: readonly StoredKey[] = []
  const path = databasePath(config.databaseUrl)
  if (path !== MEMORY_PATH) {
    const { store, findings: found } = checkDatabase(path)
    yield* found
    if (existsSync(path)) {
      yield* await checkFiles(path)
      yield await checkReserve(path, config)
      yield await checkGateway(path, config)
    }
    try {
      if (store !== undefined) {
        const { findings: keyFindings, ring } = await checkKeys(store.db, path, config)
        yield* keyFindings
        if (ring !== undefined) stored = await openStoredKeys(store.db, ring)
        yield await checkAdmins(store.db)
        yield await checkOrders(store.db)
        yield checkAudit(store.db, knownHeads)
        yield await checkLastBackup(store.db, config, deps.nowMs())
      }
    } finally {
      store?.close()
    }
  }
  yield* await checkExchanges(config, deps)
  yield* checkStoredKeys(stored, config, deps)
}
