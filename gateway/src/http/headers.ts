/** Response headers that a page of another origin may read (CORS). Bots use them too. */
export const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Queue-Wait-Ms',
  'X-Total-Count',
  'X-Total-Count-Relation',
  'X-Kept-Days',
  'X-Rows-Left-Out',
  'Server-Timing',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Location',
  'Idempotency-Replayed',
  'Preference-Applied',
] as const

/**
 * The longest time that the caller will wait in the queue (`Prefer: wait=SECONDS`, RFC 7240, 4.3).
 * @returns undefined without a usable value: the RFC has servers ignore preferences that they do
 * not understand
 */
export function readPreferWaitMs(prefer: string | string[] | undefined): number | undefined {
  const text = Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '')
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?(?=$|[,;\s])/i.exec(text)
  return match?.[1] === undefined ? undefined : Number(match[1]) * 1000
}

/**
 * Whether the caller wants a status URL instead of waiting (`Prefer: respond-async`, RFC 7240,
 * 4.1).
 */
export function prefersAsync(prefer: string | string[] | undefined): boolean {
  const text = Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '')
  return /(?:^|[,;\s])respond-async(?=$|[,;\s])/i.test(text)
}
