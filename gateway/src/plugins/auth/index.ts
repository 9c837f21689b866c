import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { exportAudit, listAudit, type Token } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { type ClientBudget, createClientBudget } from '../../http/client-budget.ts'
import { RoleForbiddenError } from '../../http/errors.ts'
import { authorOf } from '../../http/request-origin.ts'
import type { ClientRow } from '../../store/client-store.ts'
import { createAdminAccess, createClientAccess, originOf } from './access.ts'
import { createSecretRefusals } from './attempt-limits.ts'
import { authRoutes } from './auth-routes.ts'
import { FreshFactorNeededError } from './errors.ts'
import { createFactorCheck } from './factor-check.ts'
import { FailureTrail } from './failure-trail.ts'
import { type Accesses, type Authenticators, checkPermission, guard, guardLate } from './guard.ts'
import { createOpenIdService } from './openid-service.ts'
import { createFactorService } from './own-factors.ts'
import { PasskeyVerifier } from './passkey-verifier.ts'
import { Challenges } from './passkeys.ts'
import { createSecondStep } from './second-step.ts'
import { createSessionService } from './session-service.ts'
import { createSocketCallers, type SocketCallers } from './socket-callers.ts'
import { toToken } from './token-routes.ts'
import { createSecretCheck, createTokenService, SecretUses } from './token-service.ts'
import { createTokens } from './tokens.ts'

type AuthParts = Pick<Parts, 'config' | 'events' | 'nowMs' | 'stores' | 'time' | 'vault'>

declare module 'fastify' {
  interface FastifyInstance {
    /** Issues a token of a client to the administrator who sends the request. */
    issueClientToken: (
      request: FastifyRequest,
      client: ClientRow,
      record: () => Promise<unknown>,
    ) => Promise<Token>
    /** Who opens a socket, on routes that the guard lets through. */
    socketCallers: SocketCallers
  }
}

/**
 * Guards every route registered after it by the access that its endpoint declares, and serves
 * sign-in and tokens. A route that declares none makes the start fail, so that a forgotten guard
 * cannot be deployed.
 */
export const auth = fp<AuthParts>(
  async (app, parts) => {
    const { config, nowMs } = parts
    const budget = createClientBudget({ ...config.budget, time: parts.time })
    const tokens = await createTokens(app, parts.vault.tokenKeys, nowMs)
    const passkeys = new PasskeyVerifier()
    app.addHook('onClose', () => passkeys.close())
    const challenges = new Challenges(nowMs)
    const openId = createOpenIdService(parts)
    const factors = createFactorCheck({ ...parts, passkeys, openId })
    const ownFactors = createFactorService({ ...parts, passkeys, challenges })
    const sessions = createSessionService(
      {
        ...{ ...parts, factors, openId, challenges, tokens },
        onError: (err) => app.log.warn({ err }, 'the use of a session was not recorded'),
      },
      createSecondStep(parts, factors),
    )
    const clientAccess = createClientAccess(parts)
    const clientTokens = createClientTokens(app, parts, { tokens, access: clientAccess, budget })
    app.decorate('issueClientToken', async (request, client, record) =>
      toToken(await clientTokens.issueToAdmin(client, originOf(request), record)),
    )
    const failures = recordFailures(app, parts)
    const refuseSecret = createSecretRefusals(app, { failures, nowMs })
    app.decorate(
      'socketCallers',
      createSocketCallers({ tokens: clientTokens, access: clientAccess, refuseSecret }),
    )
    guardRoutes(
      app,
      {
        admin: sessions.authenticate,
        client: clientTokens.authenticate,
        clientSecret: (given, request, check) =>
          clientTokens
            .authenticateSecret(given, originOf(request))
            .then(check)
            .catch((error: unknown) => refuseSecret(request, given.clientId, error)),
      },
      { adminAccess: createAdminAccess(parts, factors), clientAccess },
      budget,
      failures,
    )
    await app.register(authRoutes, {
      ...{ sessions, ownFactors, tokens: clientTokens, failures, refuseSecret, nowMs },
      ...{ openId, passwordSignIn: config.passwordSignIn },
    })
  },
  { name: 'auth', fastify: '5.x' },
)

function createClientTokens(
  app: FastifyInstance,
  { stores, vault, nowMs }: AuthParts,
  checks: Pick<Parameters<typeof createTokenService>[0], 'tokens' | 'access' | 'budget'>,
) {
  const { clients, secrets: secretStore, tokens: tokenStore } = stores
  return createTokenService({
    ...checks,
    findClient: createSecretCheck({ clients, secretStore, secrets: vault.secrets, nowMs }),
    secretUses: new SecretUses({
      ...{ secretStore, nowMs },
      onError: (err) => app.log.warn({ err }, 'the use of a client secret was not recorded'),
    }),
    ...{ tokenStore, nowMs },
  })
}

/** Writes failed sign-ins, and what a role or a session did not cover, to the audit trail. */
function recordFailures(app: FastifyInstance, { stores, time, nowMs }: AuthParts): FailureTrail {
  const failures = new FailureTrail({
    ...{ stores, time },
    onError: (err) => app.log.error({ err }, 'a failed sign-in is not in the audit trail'),
  })
  app.addHook('preClose', () => failures.close())
  app.addHook('onError', async (request, _reply, error) => {
    if (error instanceof RoleForbiddenError)
      await failures.roleRefused(authorOf(request, nowMs()), request, error)
    if (error instanceof FreshFactorNeededError)
      await failures.factorNeeded(authorOf(request, nowMs()), request, error)
  })
  return failures
}

function guardRoutes(
  app: FastifyInstance,
  authenticate: Authenticators,
  accesses: Accesses,
  budget: ClientBudget,
  failures: FailureTrail,
): void {
  app.decorateRequest('caller', null)
  app.decorateRequest('whyNotLoosen', null)
  app.decorateRequest('guardedAtMs', 0)
  app.addHook('onRoute', (route) => {
    const { access, endpoint, isRaw = false } = route.config ?? {}
    if (access === undefined) throw new Error(`${route.method} ${route.url} declares no access`)
    if (access === 'public') return
    if (endpoint === undefined) throw new Error(`${route.url} is guarded but serves no endpoint`)
    const check = guard(endpoint, authenticate, accesses, budget)
    route.onRequest = [check, ...[route.onRequest ?? []].flat()]
    // The body of a request may come half a minute after its headers. Before anything is changed,
    // the caller must still be one who may do it.
    if (isRaw || endpoint.method !== 'GET') {
      const again = access === 'admin' ? check : guardLate(authenticate, accesses.clientAccess)
      route.preValidation = [again, ...[route.preValidation ?? []].flat()]
    }
    // Only readers of the trail wait for the entry of a failure.
    if (endpoint.id === listAudit.id || endpoint.id === exportAudit.id)
      route.preHandler = [() => failures.written(), ...[route.preHandler ?? []].flat()]
    if (route.config?.permissionOf !== undefined)
      route.preHandler = [
        async (request) => checkPermission(request),
        ...[route.preHandler ?? []].flat(),
      ]
  })
}
