/** Names the locks of Sluice among those of a database: any number that nobody else uses. */
const LOCK_CLASS = 0x51_1c_ed
/** Of the locks that say how many migrations a node knows. */
export const MIGRATIONS_CLASS = LOCK_CLASS + 2

/**
 * `migrations`: a start migrates. `indexes`: one makes indexes while gateways write. `changes`: an
 * administrator changes something. `log`: kinds of log rows are added or removed. `owner`: a node
 * is the owner of the exchanges. `rotation`: a command changes the master key. `calls`: a command
 * calls the exchanges.
 */
const LOCKS = {
  migrations: 1,
  changes: 2,
  log: 3,
  owner: 4,
  rotation: 5,
  calls: 6,
  indexes: 7,
} as const
type Lock = keyof typeof LOCKS

/** SQL that takes a lock until the end of the transaction, and waits for it. */
export const lockFor = (lock: Lock): string =>
  `select pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS[lock]})`

/** SQL that takes a lock until the end of the session, unless another session has it. */
export const tryLockFor = (lock: Lock): string =>
  `select pg_try_advisory_lock(${LOCK_CLASS}, ${LOCKS[lock]})`

/** SQL that gives it back. */
export const unlockFor = (lock: Lock): string =>
  `select pg_advisory_unlock(${LOCK_CLASS}, ${LOCKS[lock]})`

/** SQL that is true while a session of this database has the lock. */
export const isLocked = (lock: Lock): string =>
  `exists (select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 2
     and database = (select oid from pg_database where datname = current_database())
     and classid = ${LOCK_CLASS} and objid = ${LOCKS[lock]})`
