import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authMethods, beginOpenId, openIdCallback, openIdSession } from 'schema'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import type { FailureTrail } from './failure-trail.ts'
import { OpenIdExpiredError } from './openid-errors.ts'
import { cookieOf, type OpenIdFlow, sealedIn } from './openid-flow.ts'
import type { OpenIdService } from './openid-service.ts'
import type { SessionService } from './session-service.ts'
import { signInOf } from './sign-in-of.ts'
import { createThrottle } from './throttle.ts'

const BODY_BYTES_MAX = 8 * 1024

export interface OpenIdRoutesOptions {
  readonly openId: OpenIdService
  readonly sessions: SessionService
  readonly failures: FailureTrail
  readonly passwordSignIn: boolean
  readonly nowMs: () => number
}

/** Sign-in of administrators at an OpenID Connect provider. */
export const openIdRoutes: FastifyPluginAsyncTypebox<OpenIdRoutesOptions> = async (
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
