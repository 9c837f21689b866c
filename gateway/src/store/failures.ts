import { StoreDamagedError, StoreUnwritableError } from './errors.ts'

/** Whether the database itself failed, so that every other write would fail too. */
export function isStoreFailure(error: unknown): error is Error {
  return error instanceof StoreUnwritableError || error instanceof StoreDamagedError
}

/**
 * Ignores damage during the start, which continues without the failed step: readiness, the alert
 * and the rejected orders report the damage.
 */
export function passOverDamage(error: unknown): void {
  if (!(error instanceof StoreDamagedError)) throw error
}
