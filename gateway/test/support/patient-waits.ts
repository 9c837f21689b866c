import { vi } from 'vitest'

/** As long as a busy machine may take for what a test waits for; a quiet one waits no longer than before. */
const WAIT_MS_MAX = 10_000

// One second, Vitest's own limit, is less than another worker can take the processor for. Vitest has a setting for
// expect.poll alone (vitest.config.ts).
const { waitFor } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: WAIT_MS_MAX, ...options })
