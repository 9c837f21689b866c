import type { KeyObject } from 'node:crypto'
import jwt from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import { TokenExpiredError, TokenInvalidError } from './errors.ts'

declare module '@fastify/jwt' {
  interface FastifyJWT {
    namespaces: 'admin' | 'client'
  }
}

export type TokenKind = 'admin' | 'client'

export interface Claims {
  readonly jti: string
  readonly sub: string
  readonly scope?: string
  /** Seconds, as RFC 7519 has them. */
  readonly iat: number
  readonly exp: number
}

const ISSUER = 'sluice'
/** A token from further ahead was not issued by a clock that can be trusted. */
const AHEAD_SECONDS_MAX = 30
/** RFC 9068 for clients; a type of our own for administrators, so that neither passes for the other (RFC 8725, 3.11). */
const TYPES = { admin: 'admin+jwt', client: 'at+jwt' } as const

export interface Tokens {
  sign(kind: TokenKind, claims: Claims): string
  /** @throws TokenInvalidError, TokenExpiredError */
  verify(kind: TokenKind, token: string): Claims
}

/**
 * Two kinds of tokens that share nothing: each has its own key, audience and type. One algorithm, HS256, with
 * 256-bit keys that are derived from the master key.
 */
export async function createTokens(
  app: FastifyInstance,
  keys: Readonly<Record<TokenKind, KeyObject>>,
  nowMs: () => number,
): Promise<Tokens> {
  for (const kind of ['admin', 'client'] as const) {
    await app.register(jwt, {
      secret: keys[kind].export(),
      namespace: kind,
      sign: {
        algorithm: 'HS256',
        iss: ISSUER,
        aud: `sluice/${kind}`,
        header: { alg: 'HS256', typ: TYPES[kind] },
      },
      verify: {
        algorithms: ['HS256'],
        allowedIss: ISSUER,
        allowedAud: `sluice/${kind}`,
        checkTyp: TYPES[kind],
        requiredClaims: ['jti', 'sub', 'iat', 'exp', 'iss', 'aud'],
      },
    })
  }
  return {
    sign: (kind, claims) => app.jwt[kind].sign({ ...claims }),
    verify: (kind, token) => {
      const claims = verified(() => app.jwt[kind].verify<Claims>(token))
      if (claims.iat > nowMs() / 1000 + AHEAD_SECONDS_MAX) throw new TokenInvalidError()
      return claims
    },
  }
}

function verified(verify: () => Claims): Claims {
  try {
    return verify()
  } catch (cause) {
    throw isExpired(cause) ? new TokenExpiredError({ cause }) : new TokenInvalidError({ cause })
  }
}

function isExpired(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FAST_JWT_EXPIRED'
}
