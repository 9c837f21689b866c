import type { FastifyReply, FastifyRequest } from 'fastify'
import { getToken, login, oauthToken } from 'schema'

/** The result of an attempt to get a session or a token. */
export interface SignInAttempt {
  readonly kind: 'admin' | 'client'
  readonly result: 'ok' | 'refused' | 'throttled' | 'invalid' | 'failed'
}

const KINDS: Readonly<Record<string, SignInAttempt['kind']>> = {
  [login.id]: 'admin',
  [getToken.id]: 'client',
  [oauthToken.id]: 'client',
}

/** Reads from a finished request whether it was a sign-in attempt; undefined when it was none. */
export function signInAttemptOf(
  { routeOptions }: FastifyRequest,
  { statusCode }: FastifyReply,
): SignInAttempt | undefined {
  const kind = KINDS[routeOptions.config.endpoint?.id ?? '']
  return kind === undefined ? undefined : { kind, result: resultOf(statusCode) }
}

function resultOf(status: number): SignInAttempt['result'] {
  if (status < 400) return 'ok'
  if (status === 401 || status === 403) return 'refused'
  if (status === 429) return 'throttled'
  return status < 500 ? 'invalid' : 'failed'
}
