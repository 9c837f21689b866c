import { curlSnippets } from './bot-snippets-curl.ts'
import { javascriptSnippets } from './bot-snippets-javascript.ts'
import { pythonSnippets } from './bot-snippets-python.ts'
import type { ExchangeCode } from './endpoint.ts'

export const CODE_LANGUAGES = ['curl', 'javascript', 'python'] as const
export type CodeLanguage = (typeof CODE_LANGUAGES)[number]

export interface SnippetOptions {
  /** Where bots reach the gateway: an http or https address without a trailing slash. */
  readonly gatewayUrl: string
}

/**
 * A program that connects a bot, complete as it stands. It reads `SLUICE_CLIENT_ID` and `SLUICE_CLIENT_SECRET` from
 * the environment and holds no secret.
 */
export interface BotSnippet {
  /** Unique, for example `mx-javascript-ccxt`. */
  readonly id: string
  readonly language: CodeLanguage
  /** Null: for both; others of its language build on it. */
  readonly exchange: ExchangeCode | null
  /** What it is written with, as its heading says it. */
  readonly title: string
  /** What it is to be saved as: others import it by this name. */
  readonly file: string
  readonly code: string
}

/** Every program, in the order of the languages, those for both exchanges first. */
export function botSnippets(options: SnippetOptions): readonly BotSnippet[] {
  return [...curlSnippets(options), ...javascriptSnippets(options), ...pythonSnippets(options)]
}
