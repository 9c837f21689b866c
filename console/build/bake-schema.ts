import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

const schemaDir = dirname(fileURLToPath(import.meta.resolve('schema')))
// Those hold functions that the console calls; index.ts only says what is public.
const KEPT = /^(index|endpoint)[.]ts$/

/**
 * Evaluates the catalogue at build time: a module of `schema` reaches the browser as the JSON Schema it
 * declares. The console stays free of the schema library (18 kB compressed), and what a page does not use
 * is dropped, because a literal has no side effects. Functions of those modules do not come along.
 */
export function bakeSchema(): Plugin {
  return {
    name: 'bake-schema',
    enforce: 'pre',
    async load(id) {
      const file = id.split('?')[0] ?? id
      if (dirname(file) !== schemaDir || KEPT.test(basename(file))) return null
      const exports: Record<string, unknown> = await import(
        pathToFileURL(join(schemaDir, basename(file))).href
      )
      return Object.entries(exports)
        .filter(([, value]) => typeof value !== 'function')
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
        .join('\n')
    },
  }
}
