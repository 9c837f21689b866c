import { create } from 'zustand'
import { useSession } from '../../api/session.ts'
import type { FormValues } from './form-fields.ts'
import * as texts from './texts.ts'

/**
 * The bearer token of a client that all try-it forms of this tab share. Memory only: gone with the
 * page or the session.
 */
export const useTabToken = create<{ readonly token: string }>(() => ({ token: '' }))

export function setTabToken(token: string): void {
  useTabToken.setState({ token })
}

/** The bare token of what was pasted: people copy it with spaces around it or with its `Bearer`. */
export function bareToken(pasted: string): string {
  return pasted.trim().replace(/^bearer\s+/i, '')
}

/** A try-it request of this tab, without its token and without secrets. */
export interface PastRequest {
  readonly id: number
  readonly endpointId: string
  /** The page whose form sent it. */
  readonly page: string
  readonly atMs: number
  readonly values: FormValues
  /** The status of its response; null when there was none. */
  readonly status: number | null
}

const KEPT = 10

interface TabHistory {
  /** Newest first. */
  readonly past: readonly PastRequest[]
  /** The one that a form is to be filled with. */
  readonly recalled: PastRequest | null
}

/** The last try-it requests. Memory only: gone with the page or the session. */
export const useTabHistory = create<TabHistory>(() => ({ past: [], recalled: null }))

export function rememberRequest(request: Omit<PastRequest, 'id'>): void {
  useTabHistory.setState(({ past }) => ({
    past: [{ ...request, id: (past[0]?.id ?? 0) + 1 }, ...past].slice(0, KEPT),
  }))
}

export function recallRequest(recalled: PastRequest | null): void {
  useTabHistory.setState({ recalled })
}

useSession.subscribe(({ session }) => {
  if (session !== null) return
  setTabToken('')
  useTabHistory.setState({ past: [], recalled: null })
})

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

/** The token of a successful token response; undefined when there is none in it. */
export function tokenIn({
  status,
  text,
}: {
  readonly status: number
  readonly text: string
}): string | undefined {
  if (status !== 200) return undefined
  try {
    const body: unknown = JSON.parse(text)
    const hasToken = typeof body === 'object' && body !== null && 'token' in body
    return hasToken && typeof body.token === 'string' ? body.token : undefined
  } catch {
    return undefined // Not JSON: the response viewer shows what it is.
  }
}
