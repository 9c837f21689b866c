import { readFileSync } from 'node:fs'

const page = readFileSync(new URL('../../../docs/bots.md', import.meta.url), 'utf8')

export interface DocumentedProgram {
  readonly language: string
  /** Undefined: for both. */
  readonly exchange: string | undefined
  readonly title: string
  readonly file: string
  readonly code: string
}

/** The programs of docs/bots.md, in its order, for the gateway of the tests. */
export function documentedPrograms(gatewayUrl: string): DocumentedProgram[] {
  return [...page.matchAll(section)].map(
    ([, language = '', exchange, title = '', file = '', code = '']) => ({
      language,
      exchange,
      title,
      file,
      code: code.replaceAll('https://sluice.example', gatewayUrl),
    }),
  )
}

/** `### Python on MEXC: ccxt`, the name of the file, the code between fences. */
const section = /^### (\w+)(?: on (\w+))?: (.+)\n\n`([\w.-]+)`\n\n```\w+\n([\s\S]+?)\n```$/gm
