import { fileURLToPath } from 'node:url'

/** Arguments of Node that make the start of what imports the store quick. */
export const QUICK_START = [
  `--import=${new URL('./resolve-in-drizzle.js', import.meta.url).href}`,
] as const

/**
 * For the environment of a process that runs TypeScript sources: what one process has stripped of
 * types and compiled, the next one finds.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../.cache/test/compiled', import.meta.url)),
  NODE_OPTIONS: QUICK_START.join(' '),
} as const
