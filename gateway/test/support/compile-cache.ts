import { fileURLToPath } from 'node:url'

/**
 * For the environment of a process that runs TypeScript sources: what one process has stripped of
 * types and compiled, the next one finds, and drizzle's modules are found quickly.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../.cache/test/compiled', import.meta.url)),
  NODE_OPTIONS: `--import=${new URL('./resolve-in-drizzle.js', import.meta.url).href}`,
} as const
