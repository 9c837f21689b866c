import { CONFIRMED_SECONDS, type Endpoint, hasRole, roleOf } from 'schema'
import { RoleForbiddenError } from '../../http/role.ts'
import type { AdminCaller } from './caller.ts'
import { FreshFactorNeededError } from './errors.ts'
import type { FactorCheck } from './factor-check.ts'

export interface AdminAccessDeps {
  readonly factors: Pick<FactorCheck, 'factorsOf'>
  readonly nowMs: () => number
}

/** What an administrator may call: by role, and by how lately a factor was shown. */
export function createAdminAccess({ factors, nowMs }: AdminAccessDeps) {
  return {
    /** @throws RoleForbiddenError, FreshFactorNeededError */
    async require(endpoint: Endpoint, caller: AdminCaller): Promise<void> {
      const needed = roleOf(endpoint)
      if (!hasRole(caller.role, needed)) throw new RoleForbiddenError(caller.role, needed)
      if (mustBeConfirmed(endpoint, caller) && nowMs() >= confirmedUntilMs(caller))
        throw new FreshFactorNeededError(await factors.factorsOf(caller.adminId))
    },
  }
}
export type AdminAccess = ReturnType<typeof createAdminAccess>

function mustBeConfirmed({ confirm }: Endpoint, { hasSecondFactor }: AdminCaller): boolean {
  return confirm === 'always' || (confirm === 'second-factor' && hasSecondFactor)
}

function confirmedUntilMs({ confirmedAtMs }: AdminCaller): number {
  return confirmedAtMs + CONFIRMED_SECONDS * 1000
}
