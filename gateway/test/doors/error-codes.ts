import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const sources = fileURLToPath(new URL('../../src/', import.meta.url))

/** The status of each error by its code; null where the source gives no status beside the code. */
export function errorCodes(): ReadonlyMap<string, number | null> {
  const found = new Map<string, number | null>([['INTERNAL_ERROR', 500]])
  for (const file of globSync(`${sources}**/*.ts`)) {
    if (file.endsWith('.test.ts')) continue
    const text = readFileSync(file, 'utf8')
    for (const [, code = '', status] of text.matchAll(made))
      found.set(code, status === undefined ? null : Number(status))
    for (const [, status, code = ''] of text.matchAll(rejected)) found.set(code, Number(status))
    for (const [, status, code = ''] of text.matchAll(unreadable)) found.set(code, Number(status))
    for (const [, code = ''] of text.matchAll(renamed)) found.set(code, found.get(code) ?? null)
    for (const [, code = ''] of text.matchAll(constant)) found.set(code, 400)
    for (const [, code = ''] of text.matchAll(limit)) found.set(code, 422)
  }
  return found
}

/** `createError('CODE', 'message', status)`; some modules have makers of their own. */
const made =
  /(?:createError|laneError|rejection)(?:<[^()]*>)?\(\s*'([A-Z_]+)',\s*(?:'(?:[^'\\]|\\.)*'|"[^"]*"|`[^`]*`)(?:,\s*(\d{3}))?/g
/** A line of the table of rejections: `[status, 'CODE', …`. */
const rejected = /\[\s*(\d{3}),\s*'(EXCHANGE_[A-Z_]+)'/g
/** A response to what is not HTTP: `[status, 'reason', 'CODE', …`. */
const unreadable = /\[\s*(\d{3}),\s*'[\w ]+',\s*'([A-Z_]+)'/g
/** Fastify's own, under another code. */
const renamed = /FST_[A-Z_]+: \[\s*'([A-Z_]+)'/g
/** The validation's. */
const constant = /readonly code = '([A-Z_]+)'/g
/** A client's limit. */
const limit = /\brefuse\(\s*'(LIMIT_[A-Z_]+)'/g
