import { type Account, type AdminSession, CONFIRMED_SECONDS, type SecondFactor } from 'schema'
import type { AdminSessionStore } from '../../store/admin-session-store.ts'
import type { AdminRow, AdminStore } from '../../store/admin-store.ts'
import type { Author } from '../../store/audit-chain.ts'
import type { OpenIdStore } from '../../store/openid-store.ts'
import type { SecondFactorRow, SecondFactorStore } from '../../store/second-factor-store.ts'
import { type Passwords, requireGoodPassword } from '../../vault/password.ts'
import { NoPasswordError, PersonNotFoundError, SessionNotFoundError } from './errors.ts'
import { type Provider, providerOf } from './provider.ts'
import { isoOf, toSession } from './to-session.ts'

export interface AccountServiceDeps {
  readonly admins: Pick<AdminStore, 'find' | 'change'>
  readonly adminSessions: Pick<AdminSessionStore, 'listValid' | 'revoke'>
  readonly secondFactors: Pick<SecondFactorStore, 'list' | 'codesLeft'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly sessionTimes: { readonly idleMs: number }
  readonly openIds: Pick<OpenIdStore, 'subjectOf'>
  readonly provider: Provider | undefined
  readonly passwordSignIn: boolean
  readonly nowMs: () => number
}

/** Who asks about the own account, and in which session. */
export interface Self {
  readonly adminId: number
  readonly jti: string
}

/** What administrators do with their own accounts. */
export function createAccountService(deps: AccountServiceDeps) {
  const { admins, adminSessions, secondFactors, passwords, nowMs } = deps
  const { idleMs } = deps.sessionTimes

  async function find(adminId: number): Promise<AdminRow> {
    const admin = await admins.find(adminId)
    if (admin === undefined) throw new PersonNotFoundError(String(adminId))
    return admin
  }

  return {
    async read({ adminId, jti }: Self): Promise<Account> {
      const { id, email, role, createdAtMs, passwordHash } = await find(adminId)
      const valid = await adminSessions.listValid({ nowMs: nowMs(), idleMs }, adminId)
      const current = valid.find((session) => session.jti === jti)
      if (current === undefined) throw new SessionNotFoundError(jti)
      const untilMs = current.confirmedAtMs + CONFIRMED_SECONDS * 1000
      return {
        ...{ id, email, role },
        createdAt: isoOf(createdAtMs),
        factors: (await secondFactors.list(adminId)).map(toFactor),
        recoveryCodesLeft: await secondFactors.codesLeft(adminId),
        hasPassword: deps.passwordSignIn && passwordHash !== '',
        provider: await providerOf(adminId, deps),
        session: toSession(current, { idleMs, currentJti: jti }),
        confirmedUntil: untilMs > nowMs() ? isoOf(untilMs) : null,
      }
    },

    async sessions({ adminId, jti }: Self): Promise<AdminSession[]> {
      const valid = await adminSessions.listValid({ nowMs: nowMs(), idleMs }, adminId)
      return valid.map((row) => toSession(row, { idleMs, currentJti: jti }))
    },

    /** Ends one of the own sessions. @throws SessionNotFoundError */
    async endSession({ adminId }: Self, id: string, author: Author): Promise<void> {
      const { email } = await find(adminId)
      const valid = await adminSessions.listValid({ nowMs: nowMs(), idleMs }, adminId)
      const session = valid.find(({ jti }) => jti === id)
      const { device = null, address = null } = session ?? {}
      const hasEnded =
        session !== undefined &&
        (await adminSessions.revoke(id, nowMs(), {
          ...{ author, action: 'session.ended', subjectKind: 'admin', subject: email },
          before: { session: id, device, address },
        }))
      if (!hasEnded) throw new SessionNotFoundError(id)
    },

    /**
     * Changes the own password, and ends the other sessions.
     * @param countedAddress stays known: the session that asks is used from there
     * @returns how many sessions ended
     * @throws NoPasswordError, PasswordTooShortError, PasswordTooCommonError,
     * PasswordQueueFullError
     */
    async changePassword(
      { adminId, jti }: Self,
      newPassword: string,
      countedAddress: string,
      author: Author,
    ): Promise<number> {
      const { email, passwordHash: before } = await find(adminId)
      if (before === '') throw new NoPasswordError(deps.provider?.name ?? 'a provider')
      await requireGoodPassword(newPassword, email)
      const passwordHash = await passwords.hash(newPassword)
      const changed = await admins.change(
        adminId,
        { passwordHash },
        {
          ...{ atMs: nowMs(), keepSession: { jti, address: countedAddress } },
          toEntries: () => [
            { author, action: 'admin.password-changed', subjectKind: 'admin', subject: email },
          ],
        },
      )
      return changed?.endedSessions ?? 0
    },
  }
}
export type AccountService = ReturnType<typeof createAccountService>

function toFactor({ id, kind, name, createdAtMs, lastUsedAtMs }: SecondFactorRow): SecondFactor {
  const lastUsedAt = lastUsedAtMs === null ? null : isoOf(lastUsedAtMs)
  return { id, kind, name, createdAt: isoOf(createdAtMs), lastUsedAt }
}
