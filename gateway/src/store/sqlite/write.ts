import type { Db } from './open.ts'
import { toStoreError } from './sqlite-error.ts'

/** What a write needs of the connection. */
export type WritableDb = Pick<Db, 'damage' | 'commits' | 'wal'>

/**
 * Runs a write, and retries it while another process holds the database. Resolves when the disk has
 * it: it survives a power cut. A failure of the disk, or a database that stays held, becomes a
 * StoreUnwritableError, which asks the caller to try again. Any other error, such as a violated
 * constraint, is thrown unchanged. A damaged database is not written any more.
 * @param work as for GroupCommit.commit
 * @throws StoreUnwritableError, StoreDamagedError
 */
export async function writing<T>(db: WritableDb, work: () => T): Promise<T> {
  const value = await writingUnsynced(db, work)
  await db.wal?.sync()
  return value
}

/**
 * Runs a write like `writing`, without waiting for the disk. It survives the end of the process,
 * even by `kill -9`; a power cut may lose it until the next write that waits, which takes it along.
 * For what the next start finds out again, and for what nobody misses (docs/decisions/0005).
 * @throws StoreUnwritableError, StoreDamagedError
 */
export async function writingUnsynced<T>(
  { damage, commits }: WritableDb,
  work: () => T,
): Promise<T> {
  damage.requireNone()
  try {
    return await commits.commit(work)
  } catch (error) {
    throw toStoreError(damage.classify(error))
  }
}
