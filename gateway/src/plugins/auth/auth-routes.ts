import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  authMethods,
  beginOpenId,
  confirm,
  login,
  logout,
  openIdCallback,
  openIdSession,
  secondFactor,
} from 'schema'
import { authorOf } from '../../http/request-origin.ts'
import { routeOf } from '../../http/route.ts'
import { adminOf } from './access.ts'
import {
  createKeyThrottle,
  createThrottle,
  type RefuseSecret,
  SignInBackOff,
  textIn,
} from './attempt-limits.ts'
import { OpenIdExpiredError, SecondFactorNeededError } from './errors.ts'
import type { FailureTrail } from './failure-trail.ts'
import { cookieOf, type OpenIdFlow, sealedIn } from './openid-flow.ts'
import type { OpenIdService } from './openid-service.ts'
import { type FactorService, factorRoutes } from './own-factors.ts'
import { type SessionService, signInOf } from './session-service.ts'
import { tokenRoutes } from './token-routes.ts'
import type { TokenService } from './token-service.ts'

/** Anybody may send these requests, and their bodies are short. */
const BODY_BYTES_MAX = 8 * 1024
/** What a passkey signs is longer than a code. */
const SECOND_FACTOR_BYTES_MAX = 16 * 1024

interface AuthRoutesOptions {
  readonly sessions: SessionService
  readonly ownFactors: FactorService
  readonly openId: OpenIdService
  readonly passwordSignIn: boolean
  readonly tokens: TokenService
  readonly failures: FailureTrail
  readonly refuseSecret: RefuseSecret
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

/** Sign-in of administrators at an OpenID Connect provider. */
const openIdRoutes: FastifyPluginAsyncTypebox<AuthRoutesOptions> = async (
  app,
  { openId, sessions, failures, passwordSignIn, nowMs },
) => {
  const limits = { perAccount: 60, perAddress: 60 }
  const throttleBegin = createThrottle(app, (request) => Object(request.query).challenge, limits)
  const throttleCallback = createThrottle(app, (request) => Object(request.query).state, limits)
  const throttleSession = createThrottle(app, (request) => Object(request.body).code, limits)

  app.route({
    ...routeOf(authMethods),
    handler: async () => ({
      password: passwordSignIn,
      openid: openId.name === undefined ? null : { name: openId.name },
    }),
  })

  app.route({
    ...routeOf(beginOpenId),
    handler: async (request, reply) => {
      openId.requireProvider()
      const { challenge, purpose = 'sign-in', origin: wanted } = request.query
      const origin = openId.consoleOf(wanted)
      try {
        await throttleBegin(request)
        const { sealed, address } = await openId.begin({ challenge, purpose, origin })
        return reply.header('set-cookie', cookieOf(sealed, openId.isSecure)).redirect(address, 302)
      } catch (error) {
        return returnWithError(request, reply, { origin, purpose, challenge }, error)
      }
    },
  })

  app.route({
    ...routeOf(openIdCallback),
    handler: async (request, reply) => {
      openId.requireProvider()
      const flow = openId.openFlow(sealedIn(request.headers.cookie))
      reply.header('set-cookie', cookieOf(null, openId.isSecure))
      const way = flow ?? { origin: openId.consoleOf(undefined), purpose: 'sign-in' as const }
      try {
        await throttleCallback(request)
        if (flow === undefined) throw new OpenIdExpiredError()
        const code = await openId.finish(queryOf(request), flow)
        return returnTo(reply, way, { code })
      } catch (error) {
        failures.signInFailed(authorOf(request, nowMs()), '', error)
        return returnWithError(request, reply, way, error)
      }
    },
  })

  app.route({
    ...routeOf(openIdSession),
    bodyLimit: BODY_BYTES_MAX,
    handler: async (request) => {
      const from = signInOf(request, nowMs())
      let email = ''
      try {
        await throttleSession(request)
        return await sessions.openIdLogin(request.body, from, (known) => {
          email = known
        })
      } catch (error) {
        failures.signInFailed(from.author, email, error)
        throw error
      }
    },
  })
}

type Way = Pick<OpenIdFlow, 'origin' | 'purpose'> & Partial<Pick<OpenIdFlow, 'challenge'>>

/**
 * Sends the browser to the console. What is in the fragment goes to no server. The challenge tells
 * which page a window that confirms belongs to.
 */
function returnTo(reply: FastifyReply, way: Way, what: Record<string, string>) {
  const { origin, purpose, challenge = '' } = way
  const fragment = new URLSearchParams({ ...what, purpose, challenge })
  return reply.redirect(`${origin}/openid#${fragment}`, 302)
}

/** The page gets the code of the error, and has words for it. */
function returnWithError(request: FastifyRequest, reply: FastifyReply, way: Way, error: unknown) {
  const { code, statusCode } = Object(error)
  // Not one of this API's own: a bug, which the error handler logs.
  if (typeof code !== 'string' || typeof statusCode !== 'number') throw error
  request.errorCode = code
  request.log.warn({ err: error }, 'a sign-in by OpenID Connect failed')
  return returnTo(reply, way, { error: code })
}

function queryOf({ url }: FastifyRequest): string {
  const start = url.indexOf('?')
  return start < 0 ? '?' : url.slice(start)
}
