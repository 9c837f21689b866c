import { create } from 'zustand'
import { useSession } from '../../api/session.ts'
import type { FormValues } from './form-fields.ts'
import * as texts from './texts.ts'

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

interface TabMemory {
  /** The bearer token of a client that all try-it forms share. */
  readonly token: string
  /** The last requests, newest first. */
  readonly past: readonly PastRequest[]
  /** The one that a form is to be filled with. */
  readonly recalled: PastRequest | null
}

const NOTHING: TabMemory = { token: '', past: [], recalled: null }
const KEPT = 10

/** What all try-it forms of this tab share. Memory only: gone with the page or the session. */
export const useTabMemory = create<TabMemory>(() => NOTHING)

useSession.subscribe(({ session }) => {
  if (session === null) useTabMemory.setState(NOTHING)
})

export const setTabToken = (token: string) => useTabMemory.setState({ token })

export const recallRequest = (recalled: PastRequest | null) => useTabMemory.setState({ recalled })

export function rememberRequest(request: Omit<PastRequest, 'id'>): void {
  useTabMemory.setState(({ past }) => ({
    past: [{ ...request, id: (past[0]?.id ?? 0) + 1 }, ...past].slice(0, KEPT),
  }))
}

/** The bare token of what was pasted: people copy it with spaces around it or with its `Bearer`. */
export function bareToken(pasted: string): string {
  return pasted.trim().replace(/^bearer\s+/i, '')
}

/**
 * When a token ends by its `exp` (RFC 7519, 4.1.4), in Unix ms: proves nothing. Null when it says
 * none; undefined for what is no JWT.
 */
export function endOfToken(token: string): number | null | undefined {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return undefined
  const claims = readObject(() => atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
  if (claims === undefined) return undefined
  return typeof claims.exp === 'number' ? claims.exp * 1000 : null
}

/** How long a token is valid, in words; also what the person should know of before sending. */
export function lifeOfToken(token: string, nowMs: number): string | undefined {
  const endMs = endOfToken(token)
  if (token === '' || endMs === null) return undefined
  if (endMs === undefined) return texts.token.noJwt
  const leftSeconds = Math.ceil((endMs - nowMs) / 1000)
  if (leftSeconds <= 0) return texts.token.over
  const minutes = Math.floor(leftSeconds / 60)
  return texts.token.left(`${minutes}:${String(leftSeconds % 60).padStart(2, '0')}`)
}

interface TokenResponse {
  readonly status: number
  readonly text: string
}

/** The token of a successful token response; undefined when there is none in it. */
export function tokenIn({ status, text }: TokenResponse): string | undefined {
  const token = status === 200 ? readObject(() => text)?.token : undefined
  return typeof token === 'string' ? token : undefined
}

/** Undefined for what is no JSON, or no object, which is shown as it is. */
function readObject(read: () => string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(read())
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
