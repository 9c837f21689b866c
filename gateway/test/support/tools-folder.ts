import { fileURLToPath } from 'node:url'

/** Where `npm test` unpacks programs that only tests need (scripts/src/provide-tools.ts). */
export const TOOLS_FOLDER = fileURLToPath(new URL('../../../.cache/tools', import.meta.url))
