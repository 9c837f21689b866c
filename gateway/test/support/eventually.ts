import { vi } from 'vitest'

/** An upper bound for a busy machine; nothing waits for it to pass. */
const WITHIN_MS = 60_000

/**
 * Tries a check again and again until it holds, and gives what it gives. Fails as it failed last,
 * after 60 s.
 */
export function eventually<T>(check: () => T | Promise<T>, interval = 30): Promise<T> {
  return vi.waitFor(check, { timeout: WITHIN_MS, interval })
}
