import type { ApiResponse } from '../../api/client.ts'

/** The token of a successful token response; undefined when there is none in it. */
export function tokenIn({
  status,
  text,
}: Pick<ApiResponse, 'status' | 'text'>): string | undefined {
  if (status !== 200) return undefined
  try {
    const body: unknown = JSON.parse(text)
    const hasToken = typeof body === 'object' && body !== null && 'token' in body
    return hasToken && typeof body.token === 'string' ? body.token : undefined
  } catch {
    return undefined // Not JSON: the response viewer shows what it is.
  }
}
