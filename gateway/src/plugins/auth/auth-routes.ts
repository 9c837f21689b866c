import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { confirm, getToken, login, logout, oauthMetadata, oauthToken, secondFactor } from 'schema'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import { ClientExpiredError } from '../../upstream/errors.ts'
import { adminOf } from './caller.ts'
import {
  AddressForbiddenError,
  ClientInactiveError,
  ClientSecretInvalidError,
  PermissionNotGrantedError,
  SecondFactorNeededError,
} from './errors.ts'
import { factorRoutes } from './factor-routes.ts'
import type { FactorService } from './factor-service.ts'
import type { FailureTrail } from './failure-trail.ts'
import { type OAuthClient, OAuthError, oauthMetadataOf, readOAuthRequest } from './oauth.ts'
import { openIdRoutes } from './openid-routes.ts'
import type { OpenIdService } from './openid-service.ts'
import { originOf } from './origin.ts'
import type { SessionService } from './session-service.ts'
import { SignInBackOff } from './sign-in-back-off.ts'
import { signInOf } from './sign-in-of.ts'
import { createKeyThrottle, createThrottle } from './throttle.ts'
import type { IssuedToken, TokenService, TokenWish } from './token-service.ts'

/** Anybody may send these requests, and their bodies are short. */
const BODY_BYTES_MAX = 8 * 1024
/** What a passkey signs is longer than a code. */
const SECOND_FACTOR_BYTES_MAX = 16 * 1024

export interface AuthRoutesOptions {
  readonly sessions: SessionService
  readonly ownFactors: FactorService
  readonly openId: OpenIdService
  readonly passwordSignIn: boolean
  readonly tokens: TokenService
  readonly failures: FailureTrail
  readonly nowMs: () => number
}

/** Sign-in of administrators, and tokens for clients: in this API's own form and in OAuth's. */
export const authRoutes: FastifyPluginAsyncTypebox<AuthRoutesOptions> = async (app, options) => {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  await app.register(sessionRoutes, options)
  await app.register(factorRoutes, options)
  await app.register(openIdRoutes, options)
  await app.register(tokenRoutes, options)
}

const sessionRoutes: FastifyPluginAsyncTypebox<AuthRoutesOptions> = async (app, options) => {
  const { sessions, failures, nowMs } = options
  const throttle = createThrottle(app, (request) => textIn(request, 'email'), {
    perAccount: 10,
    perAddress: 60,
  })
  const throttleSecond = createThrottle(app, (request) => textIn(request, 'signInId'), {
    perAccount: 10,
    perAddress: 60,
  })
  const backOff = new SignInBackOff(nowMs)
  // By session, wherever the requests come from: a stolen token does not slow its owner down.
  const throttleConfirm = createKeyThrottle(app, (request) => adminOf(request).jti, 10)

  app.route({
    ...routeOf(login),
    bodyLimit: BODY_BYTES_MAX,
    handler: async (request) => {
      const author = authorOf(request, nowMs())
      const { email } = request.body
      try {
        await throttle(request)
        const from = signInOf(request, nowMs())
        if (await sessions.isKnown(email, from.countedAddress))
          return await sessions.login(request.body, from, 'reserved')
        backOff.take(email)
        const signedIn = await sessions.login(request.body, from, 'open')
        backOff.succeeded(email)
        return signedIn
      } catch (error) {
        if (error instanceof SecondFactorNeededError) {
          backOff.succeeded(email)
          await failures.secondFactorAwaited(author, email)
        } else failures.signInFailed(author, email, error)
        throw error
      }
    },
  })

  app.route({
    ...routeOf(secondFactor),
    bodyLimit: SECOND_FACTOR_BYTES_MAX,
    handler: async (request) => {
      const from = signInOf(request, nowMs())
      const { signInId } = request.body
      try {
        await throttleSecond(request)
        return await sessions.finishLogin(request.body, from)
      } catch (error) {
        failures.signInFailed(from.author, sessions.emailOfWaiting(signInId), error)
        throw error
      }
    },
  })

  app.route({
    ...routeOf(logout),
    handler: async (request, reply) => {
      await sessions.logout(adminOf(request), authorOf(request, nowMs()))
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...routeOf(confirm),
    bodyLimit: SECOND_FACTOR_BYTES_MAX,
    handler: async (request) => {
      const author = authorOf(request, nowMs())
      const caller = adminOf(request)
      try {
        await throttleConfirm(request)
        return await sessions.confirm(caller, request.body, author)
      } catch (error) {
        await failures.confirmFailed(author, caller.email, error)
        throw error
      }
    },
  })
}

const tokenRoutes: FastifyPluginAsyncTypebox<AuthRoutesOptions> = async (app, options) => {
  const issue = throttledIssue(app, options)
  await app.register(oauthRoutes, { issue })

  app.route({
    ...routeOf(getToken),
    bodyLimit: BODY_BYTES_MAX,
    handler: async (request) => {
      const issued = await issue(request, request.body)
      return {
        token: issued.token,
        expiresAt: new Date(issued.expiresAtMs).toISOString(),
        expiresInSeconds: issued.expiresInSeconds,
      }
    },
  })
}

/** OAuth's own form: the only route that takes one. Elsewhere a form gets 415. */
const oauthRoutes: FastifyPluginAsyncTypebox<{ issue: IssueToken }> = async (app, { issue }) => {
  await app.register(formbody, { bodyLimit: BODY_BYTES_MAX })

  app.route({
    ...routeOf(oauthMetadata),
    handler: async (request) => oauthMetadataOf(issuerOf(request)),
  })

  app.route({
    ...routeOf(oauthToken),
    bodyLimit: BODY_BYTES_MAX,
    // OAuth has its own format for invalid requests, so this code parses the form and not the
    // validator.
    validatorCompiler: () => (value) => ({ value }),
    handler: async (request) => {
      requireForm(request)
      const client = readOAuthRequest({ ...request.body }, request.headers.authorization)
      const issued = await issue(request, client).catch((error: unknown) => {
        throw toOAuthError(error, client)
      })
      return {
        access_token: issued.token,
        token_type: 'Bearer',
        expires_in: issued.expiresInSeconds,
        scope: issued.permissions.join(' '),
      }
    },
    errorHandler: (error, request, reply) => {
      if (!(error instanceof OAuthError)) throw error
      return sendOAuthError(error, request, reply)
    },
  })
}

/** Without X-Forwarded-Proto, a trusted proxy is believed to end TLS (`http/proxies.ts`). */
function issuerOf({ protocol, host, headers, ip, socket }: FastifyRequest): string {
  const isBehindTls = ip !== socket.remoteAddress && headers['x-forwarded-proto'] === undefined
  return `${isBehindTls ? 'https' : protocol}://${host}`
}

type IssueToken = (request: FastifyRequest, wish: TokenWish) => Promise<IssuedToken>

/**
 * Issues tokens, and limits guesses. Checking a secret is cheap. It is checked first, and only
 * failures count: a client with the right secret gets a token however many others guess.
 */
function throttledIssue(
  app: FastifyInstance,
  { tokens, failures, nowMs }: AuthRoutesOptions,
): IssueToken {
  const throttleFailure = createThrottle(
    app,
    (request) => textIn(request, 'clientId') || textIn(request, 'client_id'),
    { perAccount: 10, perAddress: 100 },
  )
  return async (request, wish) => {
    const author = authorOf(request, nowMs())
    try {
      return await tokens.issue(wish, originOf(request))
    } catch (error) {
      const isGuess = error instanceof ClientSecretInvalidError
      request.hasRightSecret =
        !isGuess && (isOfClient(error) || error instanceof PermissionNotGrantedError)
      if (isGuess) failures.secretRefused(author, wish.clientId, error)
      else await failures.tokenRefused(author, wish.clientId, error)
      if (isGuess) await throttleFailure(request)
      throw error
    }
  }
}

/** A text in the body, in lower case; empty when there is none. */
function textIn({ body }: FastifyRequest, name: string): string {
  const value: unknown = Object(body)[name]
  return typeof value === 'string' ? value.toLowerCase() : ''
}

/** RFC 6749, 4.4.2: parameters come as a form. A request without a body has no type. */
function requireForm({ headers, body }: FastifyRequest): void {
  const type = headers['content-type'] ?? ''
  if (body !== undefined && !/^application\/x-www-form-urlencoded *(;|$)/i.test(type))
    throw new OAuthError('invalid_request', 'Send application/x-www-form-urlencoded')
}

/** RFC 6749, 5.2: the client is unknown, or it may not be used. */
function isOfClient(error: unknown): error is Error {
  return [
    ClientSecretInvalidError,
    ClientInactiveError,
    ClientExpiredError,
    AddressForbiddenError,
  ].some((kind) => error instanceof kind)
}

function toOAuthError(error: unknown, client: OAuthClient): unknown {
  if (isOfClient(error)) return new OAuthError('invalid_client', error.message, client)
  // RFC 6749, 5.2: the scope exceeds what was granted.
  if (error instanceof PermissionNotGrantedError)
    return new OAuthError('invalid_scope', error.message)
  return error
}

/** RFC 6749, 5.2, together with the fields of every other error of this API. */
function sendOAuthError(error: OAuthError, request: FastifyRequest, reply: FastifyReply) {
  const code = error.oauthCode.toUpperCase()
  request.errorCode = code
  return reply
    .code(error.statusCode)
    .headers(error.headers)
    .serializer(JSON.stringify)
    .type('application/json; charset=utf-8')
    .send({
      error: error.oauthCode,
      error_description: error.message,
      statusCode: error.statusCode,
      code,
      message: error.message,
      requestId: request.id,
    })
}
