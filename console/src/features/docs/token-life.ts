import * as texts from './texts.ts'

/** What a pasted token says of itself, as far as it can be read without its key. */
export type TokenLife =
  | { readonly kind: 'none' }
  | { readonly kind: 'not-a-jwt' }
  | { readonly kind: 'no-end' }
  | { readonly kind: 'ends'; readonly atMs: number }

/** Reads the `exp` of a JWT (RFC 7519, 4.1.4); proves nothing. */
export function readTokenLife(token: string): TokenLife {
  if (token === '') return { kind: 'none' }
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return { kind: 'not-a-jwt' }
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    const hasEnd = typeof claims === 'object' && claims !== null && 'exp' in claims
    if (!hasEnd || typeof claims.exp !== 'number') return { kind: 'no-end' }
    return { kind: 'ends', atMs: claims.exp * 1000 }
  } catch {
    return { kind: 'not-a-jwt' } // Not base64url, or not JSON inside.
  }
}

/** The life in words for the field; an error is one the person should know of before sending. */
export function describeLife(life: TokenLife, nowMs: number): string | undefined {
  if (life.kind === 'none' || life.kind === 'no-end') return undefined
  if (life.kind === 'not-a-jwt') return texts.token.noJwt
  const leftSeconds = Math.ceil((life.atMs - nowMs) / 1000)
  if (leftSeconds <= 0) return texts.token.over
  const minutes = Math.floor(leftSeconds / 60)
  return texts.token.left(`${minutes}:${String(leftSeconds % 60).padStart(2, '0')}`)
}
