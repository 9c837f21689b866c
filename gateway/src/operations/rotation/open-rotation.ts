import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { MEMORY_PATH } from '../../store/database-path.ts'
import { StoreUrlError } from '../../store/errors.ts'
import { openForMasterKey } from '../../store/open-beside.ts'
import type { Stores } from '../../store/stores.ts'
import type { StoresBeside } from '../../store/stores-beside.ts'
import { loadKeyRing } from '../../vault/key-ring.ts'
import { CURRENT_SINCE_NAME, type ResealDeps } from './reseal.ts'

export interface RotationParts
  extends ResealDeps,
    Pick<Stores, 'audit'>,
    Pick<StoresBeside, 'path' | 'gateways' | 'eraseFreed'>,
    AsyncDisposable {
  /**
   * When the last valid token or session expires that was issued before the current key became
   * current; undefined when there are none.
   */
  tokensOfOlderKeys(): Promise<{ readonly untilMs: number } | undefined>
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
  await using opening = new AsyncDisposableStack()
  const stores = await openForMasterKey(config.databaseUrl)
  opening.defer(() => stores.close())
  const { facts, path, tokens, adminSessions } = stores
  const defaultFile = path === undefined ? undefined : join(dirname(path), 'master.key')
  const ring = await loadKeyRing({ ...config.masterKey, defaultFile, facts })
  const opened = opening.move()
  return {
    ...stores,
    ...{ ring, nowMs },
    async tokensOfOlderKeys() {
      const sinceMs = Number((await facts.get(CURRENT_SINCE_NAME)) ?? 0)
      const ends = [
        await tokens.lastExpiry(sinceMs, nowMs()),
        await adminSessions.lastExpiry(sinceMs, nowMs()),
      ].filter((end) => end !== undefined)
      return ends.length === 0 ? undefined : { untilMs: Math.max(...ends) }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
