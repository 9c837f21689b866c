import type { FastifyReply, FastifyRequest } from 'fastify'
import { getToken, login, oauthToken, openIdSession, secondFactor } from 'schema'
import { TOKENS_EXCEEDED } from './client-budget.ts'

/** The result of an attempt to get a session or a token. */
export interface SignInAttempt {
  readonly kind: 'admin' | 'client'
  readonly result:
    | 'ok'
    | 'refused'
    | 'forbidden'
    | 'throttled'
    | 'over-budget'
    | 'invalid'
    | 'failed'
}

const KINDS: Readonly<Record<string, SignInAttempt['kind']>> = {
  [login.id]: 'admin',
  [secondFactor.id]: 'admin',
  [openIdSession.id]: 'admin',
  [getToken.id]: 'client',
  [oauthToken.id]: 'client',
}

/** Errors of calls on an exchange's own path with a wrong secret in place of a token. */
const GUESS_CODES: ReadonlySet<string | null> = new Set([
  'CLIENT_SECRET_INVALID',
  'TOO_MANY_ATTEMPTS',
])

/** Reads from a finished request whether it was a sign-in attempt; undefined when it was none. */
export function signInAttemptOf(
  { routeOptions, errorCode, hasRightSecret }: FastifyRequest,
  { statusCode }: FastifyReply,
): SignInAttempt | undefined {
  const { endpoint, isRaw } = routeOptions.config
  const isBySecret = isRaw === true && (hasRightSecret || GUESS_CODES.has(errorCode))
  const kind = isBySecret ? 'client' : KINDS[endpoint?.id ?? '']
  if (kind === undefined) return undefined
  // The second step tells whether it succeeds.
  if (errorCode === 'SECOND_FACTOR_NEEDED') return undefined
  // No secret was guessed: the client asks for too many tokens.
  if (errorCode === TOKENS_EXCEEDED) return { kind, result: 'over-budget' }
  return { kind, result: hasRightSecret ? 'forbidden' : resultOf(statusCode) }
}

function resultOf(status: number): SignInAttempt['result'] {
  if (status < 400) return 'ok'
  if (status === 401 || status === 403) return 'refused'
  if (status === 429) return 'throttled'
  return status < 500 ? 'invalid' : 'failed'
}
