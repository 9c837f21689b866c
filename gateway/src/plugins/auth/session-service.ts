import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import {
  CONFIRMED_SECONDS,
  type ConfirmRequest,
  type Factor,
  type LoginRequest,
  type OpenIdProof,
  type SecondFactorRequest,
  type User,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { authorOf, countedCaller } from '../../http/request-origin.ts'
import {
  type AdminSessionRow,
  KNOWN_ADDRESS_MS,
  type NewAdminSessionRow,
} from '../../store/admin-session-store.ts'
import type { AdminRow } from '../../store/admin-store.ts'
import type { Author } from '../../store/audit-chain.ts'
import type { PasswordLane } from '../../vault/password.ts'
import type { AdminCaller } from './access.ts'
import {
  LoginFailedError,
  OpenIdDisabledError,
  PasswordSignInOffError,
  SessionIdleError,
  SignInExpiredError,
  TokenExpiredError,
  TokenInvalidError,
  TokenRevokedError,
} from './errors.ts'
import type { FactorCheck } from './factor-check.ts'
import type { OpenIdService } from './openid-service.ts'
import type { Challenges } from './passkeys.ts'
import type { SecondStep } from './second-step.ts'
import type { Tokens } from './tokens.ts'

/** Who signs in, from where. */
interface SignIn {
  readonly author: Author
  /** The address as attempts are counted; undefined when it is not known. */
  readonly countedAddress: string | undefined
  /** The user agent. */
  readonly device: string | undefined
  /** The page's, as the browser says it. */
  readonly origin: string | undefined
}

/** Who signs in with a request, from where. */
export function signInOf(request: FastifyRequest, atMs: number): SignIn {
  const { 'user-agent': device, origin } = request.headers
  const countedAddress = countedCaller(request)?.address
  return { author: authorOf(request, atMs), countedAddress, device, origin }
}

interface SignedIn {
  readonly token: string
  readonly expiresAt: string
  readonly user: User
}

const DEVICE_MAX = 200

interface SessionParts extends Pick<Parts, 'config' | 'nowMs' | 'stores' | 'vault'> {
  readonly factors: Pick<FactorCheck, 'check'>
  readonly openId: Pick<OpenIdService, 'admit' | 'confirm'>
  readonly challenges: Pick<Challenges, 'take'>
  readonly tokens: Tokens
  /** Called when the use of a session could not be written. */
  readonly onError: (error: unknown) => void
}

/** Sign-in of administrators, and their sessions. */
export function createSessionService(parts: SessionParts, secondStep: SecondStep) {
  return {
    ...createSignIn(parts, secondStep),
    ...createSessions(parts, new SessionUses(parts)),
    emailOfWaiting: secondStep.emailOf,
  }
}
export type SessionService = ReturnType<typeof createSessionService>

function createSignIn(parts: SessionParts, secondStep: SecondStep) {
  const { config, nowMs, openId } = parts
  const { admins, adminSessions } = parts.stores
  return {
    /**
     * Whether an administrator signed in from the address in the last weeks. A flood of guesses
     * from elsewhere does not keep out people at that address.
     */
    async isKnown(email: string, countedAddress: string | undefined): Promise<boolean> {
      if (countedAddress === undefined) return false
      const admin = await admins.findByEmail(email)
      if (admin === undefined) return false
      return adminSessions.isKnownAddress(admin.id, countedAddress, nowMs() - KNOWN_ADDRESS_MS)
    },

    /**
     * @throws PasswordSignInOffError, LoginFailedError, SecondFactorNeededError,
     * PasswordQueueFullError
     */
    async login(request: LoginRequest, from: SignIn, lane: PasswordLane): Promise<SignedIn> {
      if (!config.passwordSignIn) throw new PasswordSignInOffError()
      const admin = await checkPassword(parts, request, lane)
      await secondStep.require(admin, from)
      const signedIn = await begin(parts, admin, { factor: 'password' }, from)
      if (signedIn === undefined) throw new LoginFailedError()
      return signedIn
    },

    /**
     * The second step, for a person who has a second factor.
     * @throws SecondFactorFailedError, SignInExpiredError, TooManyAttemptsError
     */
    async finishLogin(request: SecondFactorRequest, from: SignIn): Promise<SignedIn> {
      const { admin, factor } = await secondStep.finish(request)
      const signedIn = await begin(parts, admin, { factor }, from)
      if (signedIn === undefined) throw new SignInExpiredError()
      return signedIn
    },

    /**
     * Of a person who signed in at the provider.
     * @param onKnown gets the e-mail as soon as it is known
     * @throws OpenIdExpiredError, OpenIdNoRoleError, OpenIdDisabledError, OpenIdEmailMissingError,
     * OpenIdEmailTakenError
     */
    async openIdLogin(
      proof: OpenIdProof,
      from: SignIn,
      onKnown: (email: string) => void,
    ): Promise<SignedIn> {
      const { admin, confirmedAtMs } = await openId.admit(proof, from.author, onKnown)
      const signedIn = await begin(parts, admin, { factor: 'openid', confirmedAtMs }, from)
      if (signedIn === undefined) throw new OpenIdDisabledError()
      return signedIn
    },
  }
}

function createSessions(parts: SessionParts, uses: SessionUses) {
  const { config, nowMs, tokens } = parts
  const { adminSessions } = parts.stores
  return {
    async logout({ jti, email }: AdminCaller, author: Author): Promise<void> {
      await adminSessions.revoke(jti, nowMs(), {
        author,
        ...{ action: 'sign-out', subjectKind: 'admin', subject: email },
      })
    },

    /**
     * Shows a factor again, in a session that is valid.
     * @throws ConfirmFailedError, TooManyAttemptsError, PasswordQueueFullError
     */
    async confirm(
      caller: AdminCaller,
      shown: ConfirmRequest,
      author: Author,
    ): Promise<{ factor: Factor; confirmedUntil: string }> {
      const { jti, email, isOpenId } = caller
      const { factor, confirmedAtMs } = await checkShown(parts, caller, shown)
      await adminSessions.confirm(
        jti,
        // The session began at the provider: that counts like a second factor until it ends.
        { confirmedAtMs, factor: isOpenId ? 'openid' : factor },
        {
          ...{ author, action: 'confirm.succeeded', subjectKind: 'admin', subject: email },
          after: { factor },
        },
      )
      const untilMs = confirmedAtMs + CONFIRMED_SECONDS * 1000
      return { factor, confirmedUntil: new Date(untilMs).toISOString() }
    },

    /** @throws TokenInvalidError, TokenExpiredError, TokenRevokedError, SessionIdleError */
    async authenticate(token: string): Promise<AdminCaller> {
      const claims = tokens.verify('admin', token)
      const session = await adminSessions.findByJti(claims.jti)
      if (session === undefined || `${session.adminId}` !== claims.sub)
        throw new TokenInvalidError()
      if (session.expiresAtMs <= nowMs()) throw new TokenExpiredError()
      if (session.revokedAtMs !== null || session.disabledAtMs !== null)
        throw new TokenRevokedError()
      if (nowMs() - session.lastUsedAtMs >= config.sessions.idleMs)
        throw new SessionIdleError(config.sessions.idleMs / 60_000)
      uses.used(session)
      const { adminId, email, jti, role, confirmedAtMs, hasSecondFactor, factor } = session
      const isOpenId = factor === 'openid'
      return { kind: 'admin', adminId, email, jti, role, confirmedAtMs, hasSecondFactor, isOpenId }
    },
  }
}

/** What is shown to confirm something, and when the person showed it. */
async function checkShown(
  { factors, challenges, openId, nowMs }: SessionParts,
  caller: AdminCaller,
  shown: ConfirmRequest,
): Promise<{ factor: Factor; confirmedAtMs: number }> {
  const { adminId, jti } = caller
  if (shown.openid !== undefined)
    return { factor: 'openid', confirmedAtMs: await openId.confirm(adminId, shown.openid) }
  const key = { purpose: 'confirmation', jti } as const
  const challenge = shown.passkey === undefined ? undefined : challenges.take(key)
  return { factor: await factors.check(caller, shown, challenge), confirmedAtMs: nowMs() }
}

/** Does the same work for an unknown address, so that its response takes as long. */
async function checkPassword(
  { stores: { admins }, vault: { passwords } }: SessionParts,
  { email, password }: LoginRequest,
  lane: PasswordLane,
): Promise<AdminRow> {
  const admin = await admins.findByEmail(email)
  if (admin === undefined || admin.disabledAtMs !== null || admin.passwordHash === '') {
    await passwords.burn(password, lane)
    throw new LoginFailedError()
  }
  const { id, passwordHash } = admin
  if (!(await passwords.verify(password, passwordHash, lane))) throw new LoginFailedError()
  if (!passwords.needsRehash(passwordHash)) return admin
  const rehashed = await passwords.hash(password, lane)
  await admins.rehash(id, passwordHash, rehashed)
  return { ...admin, passwordHash: rehashed }
}

/**
 * Begins the session of a person who showed everything that is needed.
 * @returns undefined when the person was disabled since, or got another password or a second factor
 */
async function begin(
  { config, stores, tokens, nowMs }: SessionParts,
  { id, email, role, passwordHash }: AdminRow,
  {
    factor,
    confirmedAtMs,
  }: Required<Pick<NewAdminSessionRow, 'factor'>> & Pick<NewAdminSessionRow, 'confirmedAtMs'>,
  { author, countedAddress, device }: SignIn,
): Promise<SignedIn | undefined> {
  const iat = Math.floor(nowMs() / 1000)
  const exp = iat + config.sessions.lifeMs / 1000
  const jti = randomUUID()
  const expiresAt = new Date(exp * 1000).toISOString()
  const hasBegun = await stores.adminSessions.insert(
    {
      ...{ jti, adminId: id, issuedAtMs: iat * 1000, expiresAtMs: exp * 1000, factor },
      ...(confirmedAtMs === undefined ? {} : { confirmedAtMs }),
      ...{ address: author.address, device: device?.slice(0, DEVICE_MAX) ?? null },
    },
    {
      entry: {
        author: { ...author, actor: email, actorKind: 'admin', session: jti },
        ...{ action: 'sign-in.succeeded', subjectKind: 'admin', subject: email },
        after: { expiresAt, factor, device: device?.slice(0, DEVICE_MAX) ?? null },
      },
      knownAddress: countedAddress,
      ...(factor === 'openid' ? {} : { passwordHash }),
    },
  )
  if (!hasBegun) return undefined
  const token = await tokens.sign('admin', { jti, sub: String(id), iat, exp })
  return { token, expiresAt, user: { id, email, role } }
}

/** A session that is used all the time is written once in this time. */
const WRITE_EVERY_MS = 60_000

/** Records when sessions are used; no request waits for it. */
class SessionUses {
  readonly #parts: Pick<SessionParts, 'nowMs' | 'onError' | 'stores'>
  /** Sessions whose use is being written. */
  readonly #writing = new Set<string>()

  constructor(parts: Pick<SessionParts, 'nowMs' | 'onError' | 'stores'>) {
    this.#parts = parts
  }

  used({ jti, lastUsedAtMs }: Pick<AdminSessionRow, 'jti' | 'lastUsedAtMs'>): void {
    const { stores, nowMs, onError } = this.#parts
    const atMs = nowMs()
    if (atMs - lastUsedAtMs < WRITE_EVERY_MS || this.#writing.has(jti)) return
    this.#writing.add(jti)
    stores.adminSessions
      .noteUse(jti, atMs)
      .catch(onError)
      .finally(() => this.#writing.delete(jti))
  }
}
