import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import type { AuditStore } from '../../store/audit-store.ts'
import { databasePath, MEMORY_PATH } from '../../store/database-path.ts'
import { ReserveInUseError, StoreUrlError } from '../../store/errors.ts'
import { createAdminSessionStore } from '../../store/sqlite/admin-session-store.ts'
import { createApiKeyStore } from '../../store/sqlite/api-key-store.ts'
import { createApprovalStore } from '../../store/sqlite/approval-store.ts'
import { createAuditStore } from '../../store/sqlite/audit-store.ts'
import { isReserveInUse } from '../../store/sqlite/disk-reserve.ts'
import { eraseFreed } from '../../store/sqlite/erase-freed.ts'
import { createFactStore } from '../../store/sqlite/fact-store.ts'
import { lockMasterKey } from '../../store/sqlite/lock.ts'
import type { Store } from '../../store/sqlite/open.ts'
import { openBeside } from '../../store/sqlite/open-beside.ts'
import { createSecondFactorStore } from '../../store/sqlite/second-factor-store.ts'
import { createTokenStore } from '../../store/sqlite/token-store.ts'
import { loadKeyRing } from '../../vault/key-ring.ts'
import { CURRENT_SINCE_NAME, type ResealDeps } from './reseal.ts'

export interface RotationParts extends ResealDeps, AsyncDisposable {
  readonly path: string
  readonly audit: Pick<AuditStore, 'append'>
  /**
   * When the last valid token or session expires that was issued before the current key became
   * current; undefined when there are none.
   */
  tokensOfOlderKeys(): Promise<{ readonly untilMs: number } | undefined>
  /** Overwrites what was deleted, as `eraseFreed` does. */
  erase(patienceMs: number): Promise<boolean>
}

export interface OpenRotationOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'masterKey'>
  readonly nowMs: () => number
}

/**
 * Opens the database and its keys for one command at a time. A gateway may run at the same time.
 * The caller disposes of the result.
 * @throws RotationRunningError, WrongUserError, ReserveInUseError, and what opening the database or
 * its keys throws
 */
export async function openRotation({ config, nowMs }: OpenRotationOptions): Promise<RotationParts> {
  if (config.databaseUrl.endsWith(MEMORY_PATH)) throw new StoreUrlError(MEMORY_PATH)
  const path = databasePath(config.databaseUrl)
  if (isReserveInUse(path)) throw new ReserveInUseError(path)
  const unlock = lockMasterKey(path)
  let store: Store | undefined
  const close = async () => {
    store?.close()
    unlock()
  }
  try {
    const opened = openBeside(config.databaseUrl)
    store = opened
    const facts = createFactStore(store.db)
    const defaultFile = join(dirname(store.path), 'master.key')
    const ring = await loadKeyRing({ ...config.masterKey, defaultFile, facts })
    const tokens = createTokenStore(store.db)
    const sessions = createAdminSessionStore(store.db)
    return {
      path: store.path,
      ring,
      facts,
      audit: createAuditStore(store.db),
      apiKeys: createApiKeyStore(store.db),
      secondFactors: createSecondFactorStore(store.db),
      approvals: createApprovalStore(store.db),
      nowMs,
      async tokensOfOlderKeys() {
        const sinceMs = Number((await facts.get(CURRENT_SINCE_NAME)) ?? 0)
        const ends = [
          await tokens.lastExpiry(sinceMs, nowMs()),
          await sessions.lastExpiry(sinceMs, nowMs()),
        ].filter((end) => end !== undefined)
        return ends.length === 0 ? undefined : { untilMs: Math.max(...ends) }
      },
      erase: (patienceMs) => eraseFreed(opened.db, patienceMs),
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
