import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const PAGE = fileURLToPath(new URL('../../docs/errors.md', import.meta.url))
const NAME = 'virtual:error-help'
const RESOLVED = `\0${NAME}`

/** What an error means, and whether a request with it may be sent again. */
export interface ErrorHelp {
  readonly means: string
  readonly again: 'no' | 'yes' | 'key' | 'new token'
}

/**
 * Makes the tables of error codes in `docs/errors.md` a module: by code, what it means. The page is
 * the one place where codes are explained, and a test of the gateway compares it with the source.
 */
export function errorHelp(page = PAGE): Plugin {
  return {
    name: 'error-help',
    resolveId: (id) => (id === NAME ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null
      this.addWatchFile(page)
      const help = readErrorHelp(readFileSync(page, 'utf8'))
      if (Object.keys(help).length === 0) return this.error(`${page} has no table of error codes`)
      return `export const errorHelp = ${JSON.stringify(help)}`
    },
  }
}

/** A row: code, status, meaning, whether it may be sent again. */
const ROW = /^\| `([A-Z_]+)` \| \d{3} \| (.*) \| (no|yes|key|new token) \|$/gm
/** A link's text is what a person needs to read. */
const LINK = /\[([^\]]+)\]\([^)]*\)/g

export function readErrorHelp(markdown: string): Record<string, ErrorHelp> {
  const rows = [...markdown.matchAll(ROW)]
  return Object.fromEntries(
    rows.map(([, code = '', means = '', again]) => [
      code,
      { means: means.replace(LINK, '$1'), again: again as ErrorHelp['again'] },
    ]),
  )
}
