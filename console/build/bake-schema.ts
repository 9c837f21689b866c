import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

const contractsOf = () => join(dirname(fileURLToPath(import.meta.resolve('schema'))), 'contracts')

/**
 * Evaluates the contracts at build time: a module of `schema/src/contracts` reaches the browser as
 * the JSON Schema that it declares. The console stays free of the schema library (18 kB
 * compressed), and the build drops what a page does not use, because a literal has no side effects.
 * All other modules of `schema` reach the browser as written. Of an endpoint's response only the
 * outline does; of an endpoint for administrators, which has no page, not what a page would show.
 *
 * The build fails when a contract exports anything but JSON, and when any other module imports the
 * schema library.
 */
export function bakeSchema(contracts = contractsOf()): Plugin {
  return {
    name: 'bake-schema',
    enforce: 'pre',
    resolveId(id, importer) {
      if (!/^typebox(\/|$)/.test(id)) return null
      return this.error(
        `${importer} imports ${id}, which must not reach the browser: import its types alone, or move the module to schema/src/contracts`,
      )
    },
    async load(id) {
      const file = id.split('?')[0] ?? id
      if (dirname(file) !== contracts) return null
      const exports: Record<string, unknown> = await import(pathToFileURL(file).href)
      return Object.entries(exports)
        .map(([name, value]) => {
          const path = notJson(value, name)
          if (path === undefined)
            return `export const ${name} = ${JSON.stringify(withOutline(value))}`
          return this.error(
            `schema/src/contracts/${basename(file)} exports ${path}, which is not JSON: the browser gets the contracts as JSON. ` +
              'Move a function to a module of schema/src.',
          )
        })
        .join('\n')
    },
  }
}

/**
 * An endpoint with no more of its response than the console checks at run time: whether it is an
 * object, a list or null; for the pages also which fields it must have. The whole schemas are a
 * third of what the contracts weigh.
 */
function withOutline(value: unknown): unknown {
  if (!isRecord(value) || typeof value.path !== 'string' || !isRecord(value.response)) return value
  const { type, anyOf, required, items } = value.response
  const isAdmin = value.access === 'admin'
  const kindOf = (each: Record<string, unknown>) =>
    isAdmin ? { type: each.type, required: each.required } : { type: each.type }
  const kinds = Array.isArray(anyOf) ? anyOf.map(kindOf) : undefined
  if (!isAdmin) return { ...value, response: { type, anyOf: kinds } }
  // An intersection of objects has no type of its own.
  const entry = isRecord(items) ? { type: items.type ?? 'object' } : undefined
  const response = { type, anyOf: kinds, required, items: entry }
  const shown = { sample: undefined, description: undefined, notes: undefined, approval: undefined }
  return { ...value, response, ...shown }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/**
 * Where a value is not the JSON that it is written as; undefined when it is. An absent property may
 * be `undefined`.
 */
function notJson(value: unknown, path: string): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path
  if (typeof value !== 'object') return path
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return path
  for (const [key, part] of Object.entries(value)) {
    const isAbsent = part === undefined && !Array.isArray(value)
    const wrong = isAbsent ? undefined : notJson(part, `${path}.${key}`)
    if (wrong !== undefined) return wrong
  }
  return undefined
}
