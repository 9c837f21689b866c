import type { ConfirmRequest, Factor } from 'schema'
import type { AdminRow, AdminStore } from '../../store/admin-store.ts'
import type { SecondFactorStore } from '../../store/second-factor-store.ts'
import type { Passwords } from '../../vault/password.ts'
import { ConfirmFailedError } from './errors.ts'

export interface FactorCheckDeps {
  readonly admins: Pick<AdminStore, 'find'>
  readonly secondFactors: Pick<SecondFactorStore, 'list' | 'codesLeft'>
  readonly passwords: Pick<Passwords, 'verify'>
}

/** Whether what a person shows is right. */
type Check = (admin: AdminRow, shown: ConfirmRequest) => Promise<boolean>

/** What people can show to prove who they are, and whether it is right. */
export function createFactorCheck({ admins, secondFactors, passwords }: FactorCheckDeps) {
  /** One check for each factor. */
  const checks: Readonly<Partial<Record<Factor, Check>>> = {
    password: (admin, { password = '' }) =>
      passwords.verify(password, admin.passwordHash, 'reserved'),
  }

  /** What a person can show: second factors, and the password only without any. */
  async function factorsOf(adminId: number): Promise<Factor[]> {
    const kinds = new Set((await secondFactors.list(adminId)).map(({ kind }) => kind))
    if (kinds.size === 0) return ['password']
    const codes = await secondFactors.codesLeft(adminId)
    return [...kinds, ...(codes > 0 ? (['recovery-code'] as const) : [])]
  }

  return {
    factorsOf,

    /** @returns what was shown @throws ConfirmFailedError, PasswordQueueFullError */
    async check(adminId: number, shown: ConfirmRequest): Promise<Factor> {
      const factor = factorIn(shown)
      const admin = await admins.find(adminId)
      if (admin === undefined || admin.disabledAtMs !== null) throw new ConfirmFailedError()
      if (!(await factorsOf(adminId)).includes(factor)) throw new ConfirmFailedError()
      if ((await checks[factor]?.(admin, shown)) !== true) throw new ConfirmFailedError()
      return factor
    },
  }
}
export type FactorCheck = ReturnType<typeof createFactorCheck>

function factorIn({ totp, recoveryCode }: ConfirmRequest): Factor {
  if (totp !== undefined) return 'totp'
  return recoveryCode === undefined ? 'password' : 'recovery-code'
}
