import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import jwt from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import type { TokenKeys } from '../../vault/key-ring.ts'
import { TokenAheadOfClockError, TokenExpiredError, TokenInvalidError } from './errors.ts'

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
  /** Which version of the permissions the scope names; absent in tokens of the first. */
  readonly ver?: number
  /** Seconds, as in RFC 7519. */
  readonly iat: number
  readonly exp: number
}

const ISSUER = 'sluice'
/** A token issued further in the future than this shows that the clock was set back. */
const AHEAD_SECONDS_MAX = 30
/**
 * RFC 9068 for clients and an own type for administrators: neither kind is accepted as the other
 * (RFC 8725, 3.11).
 */
const TYPES = { admin: 'admin+jwt', client: 'at+jwt' } as const

export interface Tokens {
  sign(kind: TokenKind, claims: Claims): Promise<string>
  /** @throws TokenInvalidError, TokenExpiredError, TokenAheadOfClockError */
  verify(kind: TokenKind, token: string): Claims
}

/**
 * Creates the two kinds of tokens, which share nothing: each has its own keys, audience and type.
 * Both use HS256 with 256-bit keys derived from the master keys: the current key signs, every
 * loaded key verifies. Nothing in a token selects its key.
 */
export async function createTokens(
  app: FastifyInstance,
  keys: Readonly<Record<TokenKind, TokenKeys>>,
  nowMs: () => number,
): Promise<Tokens> {
  for (const kind of ['admin', 'client'] as const) {
    await app.register(jwt, {
      secret: (await keys[kind].signing()).export(),
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
  const remembered = { admin: new VerifiedTokens(), client: new VerifiedTokens() }
  return {
    sign: async (kind, claims) =>
      app.jwt[kind].sign({ ...claims }, { key: (await keys[kind].signing()).export() }),
    verify: (kind, token) => {
      const verifying = keys[kind].verifying()
      const claims = remembered[kind].get(token, verifying, () => {
        const key = verifying.find((each) => isSignedWith(each, token))
        if (key === undefined) throw new TokenInvalidError()
        try {
          const claims: unknown = app.jwt[kind].verify(token, { key: key.export() })
          if (areClaims(claims)) return { key, claims }
          throw new TypeError('A claim is not of its type')
        } catch (cause) {
          throw isExpired(cause)
            ? new TokenExpiredError({ cause })
            : new TokenInvalidError({ cause })
        }
      })
      if (claims.exp <= nowMs() / 1000) throw new TokenExpiredError()
      const aheadSeconds = claims.iat - nowMs() / 1000
      if (aheadSeconds > AHEAD_SECONDS_MAX)
        throw new TokenAheadOfClockError(Math.round(aheadSeconds))
      return claims
    },
  }
}

/** Whether the claims that the gateway reads have the types that it writes. */
function areClaims(claims: unknown): claims is Claims {
  const { jti, sub, scope, ver, iat, exp }: Record<keyof Claims, unknown> = Object(claims)
  return (
    [jti, sub].every((value) => typeof value === 'string') &&
    [iat, exp].every(Number.isFinite) &&
    (scope === undefined || typeof scope === 'string') &&
    (ver === undefined || Number.isInteger(ver))
  )
}

/**
 * Whether the key made the token's signature (RFC 7515, 5.2). The library, which then checks all of
 * the token, takes one key, and many times as long to reject a forged signature.
 */
function isSignedWith(key: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.')
  const expected = createHmac('sha256', key).update(token.slice(0, end)).digest()
  const given = Buffer.from(token.slice(end + 1), 'base64url')
  return expected.length === given.length && timingSafeEqual(expected, given)
}

function isExpired(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FAST_JWT_EXPIRED'
}

/** The most tokens that are remembered; the oldest make room. */
const TOKENS_MAX = 10_000

interface VerifiedToken {
  /** The key that verified the signature. */
  readonly key: KeyObject
  readonly claims: Claims
}

/**
 * Remembers which tokens have a valid signature, because verifying one costs more than everything
 * else that is checked of a request. Only the signature and the claims are remembered, by the hash
 * of the token: whether the token was revoked, has expired or belongs to an active client is
 * checked at each request. A token counts as long as the key that verified it is loaded.
 */
export class VerifiedTokens {
  readonly #tokens = new Map<string, VerifiedToken>()

  /**
   * @param verifying the keys that are loaded
   * @param verify called for a token that is not remembered; what it throws is passed on
   */
  get(token: string, verifying: readonly KeyObject[], verify: () => VerifiedToken): Claims {
    const digest = hash('sha256', token, 'base64')
    const known = this.#tokens.get(digest)
    if (known !== undefined && verifying.includes(known.key)) return known.claims
    const verified = verify()
    this.#tokens.delete(digest)
    if (this.#tokens.size >= TOKENS_MAX) {
      const [oldest] = this.#tokens.keys()
      if (oldest !== undefined) this.#tokens.delete(oldest)
    }
    this.#tokens.set(digest, verified)
    return verified.claims
  }
}
