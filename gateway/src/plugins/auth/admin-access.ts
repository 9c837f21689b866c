import { CONFIRMED_SECONDS, type Endpoint, hasRole, roleOf } from 'schema'
import { RoleForbiddenError } from '../../http/errors.ts'
import type { AdminCaller } from './caller.ts'
import { FreshFactorNeededError, SecondFactorRequiredError } from './errors.ts'
import type { FactorCheck } from './factor-check.ts'

export interface AdminAccessDeps {
  readonly factors: Pick<FactorCheck, 'factorsOf'>
  /** Whether everybody must have a second factor. */
  readonly requireSecondFactor: boolean
  readonly nowMs: () => number
}

/** What an administrator may call: by role, by second factor, and by how lately one was shown. */
export function createAdminAccess(deps: AdminAccessDeps) {
  const { factors, requireSecondFactor, nowMs } = deps
  return {
    /**
     * @returns why the caller may not allow more than before, where the endpoint asks for a factor
     * only then; null when they may
     * @throws RoleForbiddenError, SecondFactorRequiredError, FreshFactorNeededError
     */
    async require(endpoint: Endpoint, caller: AdminCaller): Promise<FreshFactorNeededError | null> {
      const needed = roleOf(endpoint)
      if (!hasRole(caller.role, needed)) throw new RoleForbiddenError(caller.role, needed)
      if (requireSecondFactor && lacksFactor(endpoint, caller))
        throw new SecondFactorRequiredError()
      if (!mustBeConfirmed(endpoint, caller) || nowMs() < confirmedUntilMs(caller)) return null
      const error = new FreshFactorNeededError(await factors.factorsOf(caller))
      if (endpoint.confirm !== 'to-loosen') throw error
      return error
    },
  }
}
export type AdminAccess = ReturnType<typeof createAdminAccess>

function lacksFactor({ isOwnAccount }: Endpoint, caller: AdminCaller): boolean {
  return isOwnAccount !== true && !isWellKnown(caller)
}

function mustBeConfirmed({ confirm }: Endpoint, caller: AdminCaller): boolean {
  return confirm === 'second-factor' ? isWellKnown(caller) : confirm !== undefined
}

/** Whether more than a password is asked of the person: here, or at the provider. */
function isWellKnown({ hasSecondFactor, isOpenId }: AdminCaller): boolean {
  return hasSecondFactor || isOpenId
}

function confirmedUntilMs({ confirmedAtMs }: AdminCaller): number {
  return confirmedAtMs + CONFIRMED_SECONDS * 1000
}
