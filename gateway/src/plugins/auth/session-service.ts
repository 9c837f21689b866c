import { randomUUID } from 'node:crypto'
import type { LoginRequest, User } from 'schema'
import type { AdminSessionStore } from '../../store/admin-session-store.ts'
import type { AdminStore } from '../../store/admin-store.ts'
import type { Author } from '../../store/audit-chain.ts'
import type { Passwords } from '../../vault/password.ts'
import type { AdminCaller } from './caller.ts'
import {
  LoginFailedError,
  TokenExpiredError,
  TokenInvalidError,
  TokenRevokedError,
} from './errors.ts'
import type { Tokens } from './tokens.ts'

/** Long enough for a working day, short enough to limit the use of a copied token. */
const SESSION_SECONDS = 8 * 3600

export interface SessionServiceDeps {
  readonly admins: Pick<AdminStore, 'findByEmail' | 'setPassword'>
  readonly sessions: Pick<AdminSessionStore, 'insert' | 'findByJti' | 'revoke'>
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly nowMs: () => number
}

/** Sign-in of administrators, and their sessions. */
export function createSessionService(deps: SessionServiceDeps) {
  const { admins, sessions, passwords, tokens, nowMs } = deps

  /** Does the same work for an unknown address, so that its response takes as long. */
  async function checkPassword({ email, password }: LoginRequest) {
    const admin = await admins.findByEmail(email)
    if (admin === undefined || admin.disabledAtMs !== null) {
      await passwords.burn(password)
      throw new LoginFailedError()
    }
    if (!(await passwords.verify(password, admin.passwordHash))) throw new LoginFailedError()
    if (passwords.needsRehash(admin.passwordHash))
      await admins.setPassword(admin.id, await passwords.hash(password))
    return admin
  }

  return {
    /** @throws LoginFailedError, PasswordQueueFullError */
    async login(
      request: LoginRequest,
      author: Author,
    ): Promise<{ token: string; expiresAt: string; user: User }> {
      const admin = await checkPassword(request)
      const iat = Math.floor(nowMs() / 1000)
      const exp = iat + SESSION_SECONDS
      const jti = randomUUID()
      const times = { issuedAtMs: iat * 1000, expiresAtMs: exp * 1000 }
      await sessions.insert(
        { jti, adminId: admin.id, ...times },
        {
          author: { ...author, actor: admin.email, actorKind: 'admin', session: jti },
          ...{ action: 'sign-in.succeeded', subjectKind: 'admin', subject: admin.email },
          after: { expiresAt: new Date(exp * 1000).toISOString() },
        },
      )
      return {
        token: await tokens.sign('admin', { jti, sub: String(admin.id), iat, exp }),
        expiresAt: new Date(exp * 1000).toISOString(),
        user: { id: admin.id, email: admin.email, role: admin.role },
      }
    },

    async logout({ jti, email }: AdminCaller, author: Author): Promise<void> {
      await sessions.revoke(jti, nowMs(), {
        author,
        ...{ action: 'sign-out', subjectKind: 'admin', subject: email },
      })
    },

    /** @throws TokenInvalidError, TokenExpiredError, TokenRevokedError */
    async authenticate(token: string): Promise<AdminCaller> {
      const claims = tokens.verify('admin', token)
      const session = await sessions.findByJti(claims.jti)
      if (session === undefined || `${session.adminId}` !== claims.sub)
        throw new TokenInvalidError()
      if (session.expiresAtMs <= nowMs()) throw new TokenExpiredError()
      if (session.revokedAtMs !== null || session.disabledAtMs !== null)
        throw new TokenRevokedError()
      return { kind: 'admin', adminId: session.adminId, email: session.email, jti: session.jti }
    },
  }
}
export type SessionService = ReturnType<typeof createSessionService>
