/** How long the response of the start check stands in for a first read of the same list. */
const FRESH_MS = 5000

let failure: { key: string; error: unknown; atMs: number } | undefined

/**
 * Remembers that the start check failed, so that the page that opens next does not ask again at
 * once.
 */
export function rememberStartFailure(key: string, error: unknown): void {
  failure = { key, error, atMs: Date.now() }
}

/** The failure of the start check for this key, given out once and only while fresh. */
export function takeStartFailure(key: string | null): unknown {
  if (failure === undefined || failure.key !== key) return undefined
  const { error, atMs } = failure
  failure = undefined
  return Date.now() - atMs <= FRESH_MS ? error : undefined
}
