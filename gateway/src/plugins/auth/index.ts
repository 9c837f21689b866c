import fp from 'fastify-plugin'
import { exportAudit, listAudit } from 'schema'
import { authorOf } from '../../http/author.ts'
import type { ClientBudget } from '../../http/client-budget.ts'
import { RoleForbiddenError } from '../../http/errors.ts'
import type { AdminSessionStore } from '../../store/admin-session-store.ts'
import type { AdminStore } from '../../store/admin-store.ts'
import type { AuditStore } from '../../store/audit-store.ts'
import type { ClientStore } from '../../store/client-store.ts'
import type { OpenIdStore } from '../../store/openid-store.ts'
import type { SecondFactorStore } from '../../store/second-factor-store.ts'
import type { SecretStore } from '../../store/secret-store.ts'
import type { TokenStore } from '../../store/token-store.ts'
import type { Time } from '../../time.ts'
import type { Events } from '../../upstream/events.ts'
import type { ClientSecrets } from '../../vault/client-secret.ts'
import type { Passwords } from '../../vault/password.ts'
import type { RecoveryCodes } from '../../vault/recovery-codes.ts'
import type { Sealing } from '../../vault/sealing.ts'
import type { TokenKeys } from '../../vault/token-keys.ts'
import { createAdminAccess, createClientAccess } from './access.ts'
import { GuessLimit } from './attempt-limits.ts'
import { authRoutes } from './auth-routes.ts'
import { FreshFactorNeededError } from './errors.ts'
import { createFactorCheck } from './factor-check.ts'
import { FailureTrail } from './failure-trail.ts'
import { checkPermission, guard, guardLate } from './guard.ts'
import { FlowSeal, OpenIdCodes } from './openid-flow.ts'
import { OpenIdProvider, type ProviderSettings } from './openid-provider.ts'
import { createOpenIdService } from './openid-service.ts'
import { createFactorService } from './own-factors.ts'
import { PasskeyVerifier } from './passkey-verifier.ts'
import { Challenges } from './passkeys.ts'
import { createSecondStep, WaitingSignIns } from './second-step.ts'
import { createSessionService, type SessionTimes, SessionUses } from './session-service.ts'
import { createSecretCheck, createTokenService, SecretUses } from './token-service.ts'
import { createTokens, type TokenKind } from './tokens.ts'

export interface AuthOptions {
  readonly admins: AdminStore
  readonly adminSessions: AdminSessionStore
  readonly secondFactors: SecondFactorStore
  readonly openIds: OpenIdStore
  /** Undefined: nobody signs in by OpenID Connect. */
  readonly openIdSettings: ProviderSettings | undefined
  readonly passwordSignIn: boolean
  readonly sessionTimes: SessionTimes
  /** Whether everybody must have a second factor. */
  readonly requireSecondFactor: boolean
  readonly clients: ClientStore
  readonly tokenStore: TokenStore
  readonly secrets: ClientSecrets
  readonly secretStore: SecretStore
  readonly passwords: Passwords
  readonly sealing: Sealing
  readonly recoveryCodes: RecoveryCodes
  /** Passkeys are for the pages at these. */
  readonly consoleOrigins: readonly string[]
  readonly tokenKeys: Readonly<Record<TokenKind, TokenKeys>>
  readonly events: Pick<Events, 'emit'>
  readonly budget: ClientBudget
  readonly audit: Pick<AuditStore, 'append'>
  readonly time: Time
  /** Its wall clock. */
  readonly nowMs: () => number
}

/**
 * Guards every route registered after it by the access that its endpoint declares, and serves
 * sign-in and tokens. A route that declares none makes the start fail, so that a forgotten guard
 * cannot be deployed.
 */
export const auth = fp<AuthOptions>(
  async (app, options) => {
    const { admins, adminSessions, tokenStore, passwords, budget, nowMs, time } = options
    const { passwordSignIn } = options
    const tokens = await createTokens(app, options.tokenKeys, nowMs)
    const passkeys = new PasskeyVerifier()
    app.addHook('onClose', () => passkeys.close())
    const challenges = new Challenges(nowMs)
    const guesses = new GuessLimit(nowMs)
    const openId = openIdOf(options)
    const factors = createFactorCheck({ ...options, passkeys, guesses, openId })
    const waiting = new WaitingSignIns(nowMs)
    const secondStep = createSecondStep({ ...options, factors, waiting })
    const ownFactors = createFactorService({ ...options, passkeys, challenges })
    const sessions = createSessionService({
      ...{ admins, sessions: adminSessions, passwords, factors, tokens, nowMs },
      ...{ secondStep, challenges, openId, passwordSignIn },
      times: options.sessionTimes,
      uses: new SessionUses({
        ...{ sessions: adminSessions, nowMs },
        onError: (err) => app.log.warn({ err }, 'the use of a session was not recorded'),
      }),
    })
    const adminAccess = createAdminAccess({ ...options, factors })
    const clientAccess = createClientAccess(options)
    const clientTokens = createTokenService({
      findClient: createSecretCheck(options),
      secretUses: new SecretUses({
        ...{ secretStore: options.secretStore, nowMs },
        onError: (err) => app.log.warn({ err }, 'the use of a client secret was not recorded'),
      }),
      ...{ tokenStore, tokens, access: clientAccess, budget, nowMs },
    })

    const failures = new FailureTrail({
      ...{ audit: options.audit, admins, clients: options.clients, time },
      onError: (err) => app.log.error({ err }, 'a failed sign-in is not in the audit trail'),
    })
    app.addHook('preClose', () => failures.close())
    app.addHook('onError', async (request, _reply, error) => {
      if (error instanceof RoleForbiddenError)
        await failures.roleRefused(authorOf(request, nowMs()), request, error)
      if (error instanceof FreshFactorNeededError)
        await failures.factorNeeded(authorOf(request, nowMs()), request, error)
    })

    app.decorateRequest('caller', null)
    app.decorateRequest('whyNotLoosen', null)
    app.decorateRequest('guardedAtMs', 0)
    app.addHook('onRoute', (route) => {
      const { access, endpoint } = route.config ?? {}
      if (access === undefined) throw new Error(`${route.method} ${route.url} declares no access`)
      if (access === 'public') return
      if (endpoint === undefined) throw new Error(`${route.url} is guarded but serves no endpoint`)
      const authenticate = { admin: sessions.authenticate, client: clientTokens.authenticate }
      const check = guard(endpoint, authenticate, { adminAccess, clientAccess }, budget)
      route.onRequest = [check, ...[route.onRequest ?? []].flat()]
      // The body of a request may come half a minute after its headers. Before anything is changed,
      // the caller must still be one who may do it.
      if (endpoint.method !== 'GET') {
        const again = access === 'admin' ? check : guardLate(authenticate, clientAccess)
        route.preValidation = [again, ...[route.preValidation ?? []].flat()]
      }
      // Nobody waits for the entry of a failure, except who reads the trail.
      if (endpoint.id === listAudit.id || endpoint.id === exportAudit.id)
        route.preHandler = [() => failures.written(), ...[route.preHandler ?? []].flat()]
      if (route.config?.permissionOf !== undefined)
        route.preHandler = [
          async (request) => checkPermission(request),
          ...[route.preHandler ?? []].flat(),
        ]
    })
    await app.register(authRoutes, {
      ...{ sessions, ownFactors, tokens: clientTokens, failures, nowMs },
      ...{ openId, passwordSignIn },
    })
  },
  { name: 'auth', fastify: '5.x' },
)

function openIdOf({ openIdSettings, ...options }: AuthOptions) {
  const { openIds, adminSessions: sessions, consoleOrigins, nowMs } = options
  return createOpenIdService({
    provider: openIdSettings === undefined ? undefined : new OpenIdProvider(openIdSettings, nowMs),
    ...{ openIds, sessions, consoleOrigins, nowMs },
    idleMs: options.sessionTimes.idleMs,
    codes: new OpenIdCodes(nowMs),
    seal: new FlowSeal(nowMs),
  })
}
