import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import * as schema from 'schema'
import { readErrorHelp } from '../../build/error-help.ts'
import { GATEWAY_URL, settle } from './stub-gateway.ts'

/** A text of a page, and what it is: a text of the document, or an attribute. */
interface Said {
  readonly as: string
  readonly text: string
}

const ERRORS = fileURLToPath(new URL('../../../docs/errors.md', import.meta.url))

/** The documentation of the API: what `schema` says, and what `docs/errors.md` says of errors. */
const DOCUMENTATION: ReadonlySet<string> = new Set(
  [...textsIn(schema), ...textsIn(readErrorHelp(readFileSync(ERRORS, 'utf8')))].flatMap((text) =>
    // What is between backticks is shown as code, in an element of its own.
    [text, ...text.split('`')].map((part) => part.trim()).filter((part) => part !== ''),
  ),
)
/** Names of pages, sections, calls and headers, which titles contain. */
const TITLES = [
  ...schema.docPages.flatMap(({ label, section }) => [label, section]),
  ...schema.catalogue.map(({ summary }) => summary),
  ...schema.botHeaders.map(({ name }) => name),
]
/** Names and values of parameters. */
const PARAMETERS: ReadonlySet<string> = new Set(
  schema.docPages.flatMap(({ endpoints }) =>
    endpoints.flatMap(({ params, query, body }) => [params, query, body].flatMap(namesIn)),
  ),
)

interface FieldValues {
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly default?: unknown
}

/** The names of a schema's fields, and what may be chosen for them. */
function namesIn(part: object | undefined): string[] {
  const { properties = {} } = (part ?? {}) as {
    properties?: Readonly<Record<string, FieldValues>>
  }
  return Object.entries(properties).flatMap(([name, field]) => [
    name,
    ...[field.default, ...(field.enum ?? []), ...(field.examples ?? [])].map(String),
  ])
}

/** Written the same in every language, or by a format and not in words. */
const EVERYWHERE: readonly RegExp[] = [
  /\b(?:Sluice|MEXC|Bitget|USDT|JavaScript|Python|curl)\b/g,
  // The commit of the console.
  /(?<=⟦\S+ )[\da-f]{12}(?=⟧)/g,
  // Addresses, paths and the names of files, with the package that a program is written for.
  /https?:\/\/\S+/g,
  /(?<![\w⟧])\/[\w/.{}?=&*-]+/g,
  /(?:\b[\w-]+: )?\b[\w-]+\.(?:py|mjs|sh|json|env)\b/g,
  /\b(?:GET|POST|PUT|PATCH|DELETE)\b/g,
  // The standard words of a response's status (RFC 9110).
  new RegExp(`(?:\\b\\d{3}:? |^)(?:${Object.values(STATUS_CODES).join('|')})$`),
  // Times and numbers with their units.
  /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d\d\b/g,
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b(?=,? \d\d:)/g,
  /\b[A-Z][a-z]+\/[A-Z][a-z]+\b|\b(?:UTC|GMT[+-]\d+)\b/g,
  /\d[\s\u202f]?(?:ms|s|min|h|d|kB|MB)\b/g,
]

/** Collects what the pages of a test say that is neither in the test language nor data. */
export class English {
  readonly #page: Page
  readonly #left = new Map<string, string>()
  readonly #data = new Set<string>()
  /** What `#dataWithinTexts` gave when there were so many data. */
  #sorted: { readonly dataCount: number; readonly parts: readonly string[] } = {
    dataCount: -1,
    parts: [],
  }
  readonly #reading: Promise<void>[] = []
  /** Everything that was said. */
  readonly said = new Set<string>()

  constructor(page: Page) {
    this.#page = page
    page.on('response', (response) => {
      if (response.url().startsWith(GATEWAY_URL)) this.#reading.push(this.#learn(response))
    })
  }

  async #learn(response: { text(): Promise<string>; headers(): Record<string, string> }) {
    for (const value of Object.values(response.headers())) this.#data.add(value)
    const body = await response.text().catch(() => '')
    this.knows(body)
    const isJson = response.headers()['content-type'] === 'application/json' && body !== ''
    if (isJson) this.knows(...textsIn(JSON.parse(body)))
  }

  /** What the test itself typed, or put on the page otherwise. */
  knows(...texts: readonly string[]): void {
    for (const text of texts) this.#data.add(text)
  }

  /** Reads the page as it is now. */
  async look(): Promise<void> {
    await settle(this.#page)
    await Promise.all(this.#reading)
    this.knows(...new URL(this.#page.url()).searchParams.values())
    for (const { as, text } of await this.#page.evaluate(saidOnPage)) {
      // What has been explained stays explained, and what was English has been noted.
      if (this.said.has(text)) continue
      this.said.add(text)
      const rest = this.#restOf(text)
      if (hasWord(rest)) this.#left.set(`${as}: ${text}`, this.#page.url())
    }
  }

  /** What is still English, and where. */
  left(): readonly string[] {
    return [...this.#left].map(([what, url]) => `${what} (${new URL(url).pathname})`)
  }

  /** A text without what is no text of the console. */
  #restOf(text: string): string {
    const plain = text.trim()
    if (this.#data.has(plain) || DOCUMENTATION.has(plain) || this.#isPieceOfId(plain)) return ''
    if (!hasWord(plain)) return ''
    let rest = plain
    for (const part of this.#dataWithinTexts())
      if (rest.includes(part)) rest = rest.replace(wholeOf(part), '')
    rest = EVERYWHERE.reduce((left, pattern) => left.replace(pattern, ''), rest)
    const isData = (word: string) => this.#data.has(word) || PARAMETERS.has(word)
    // In brackets it is a value in a text of the catalogue.
    if (rest.includes('⟦')) return withoutInner(rest, isData)
    return rest.split(/\s+/).every((word) => !hasWord(word) || isData(word)) ? '' : rest
  }

  /**
   * Data that may be a part of a longer text, longest first. Single words are left out: the state
   * that a response has may be a word of English elsewhere.
   */
  #dataWithinTexts(): readonly string[] {
    if (this.#sorted.dataCount !== this.#data.size) {
      const parts = [...this.#data, ...PARAMETERS].filter(
        (part) => hasWord(part) && /[^A-Za-z]/.test(part),
      )
      const sorted = [...parts, ...TITLES].toSorted((a, b) => b.length - a.length)
      this.#sorted = { dataCount: this.#data.size, parts: sorted }
    }
    return this.#sorted.parts
  }

  /** The beginning or the end of an id, or both: `client_...f6g5h4j`. */
  #isPieceOfId(text: string): boolean {
    const [start = '', end = ''] = text.split('...')
    const isOf = (id: string) => id.startsWith(start) && id.endsWith(end)
    return /^\S{6,}$/.test(text) && [...this.#data].some((id) => /^\S{20,}$/.test(id) && isOf(id))
  }
}

/** Not as a part of a longer word. */
const wholeOf = (part: string) =>
  new RegExp(`(?<!\\w)${part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?!\\w)`, 'g')

const hasWord = (text: string) => /[A-Za-z]{2}/.test(text)

/** A text of the catalogue without those words in its brackets that are data. */
function withoutInner(text: string, isData: (word: string) => boolean): string {
  let depth = 0
  return text.replace(/[⟦⟧]|[\w$-]+/g, (piece) => {
    if (piece === '⟦') depth += 1
    else if (piece === '⟧') depth -= 1
    return depth > 0 && isData(piece) ? '' : piece
  })
}

/** Every text in a value, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** In the browser: every text, name, title and placeholder, also those that are not in sight. */
function saidOnPage(): Said[] {
  const said: Said[] = [{ as: 'title of the document', text: document.title }]
  // What is written as code is code: the catalogue's texts are not.
  const isCode = (element: Element | null) =>
    element?.closest('code, pre, script, style, noscript') != null
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue ?? ''
    if (text.trim() !== '' && !isCode(node.parentElement)) said.push({ as: 'text', text })
  }
  const names = ['aria-label', 'title', 'placeholder', 'alt', 'aria-valuetext', 'aria-description']
  // A style sheet shows `data-label` before the cells of a narrow table.
  names.push('data-label')
  for (const element of document.body.querySelectorAll(names.map((name) => `[${name}]`).join())) {
    if (isCode(element)) continue
    for (const as of names) {
      const text = element.getAttribute(as)
      if (text !== null) said.push({ as, text })
    }
  }
  // A list of choices shows the chosen one in a field.
  for (const field of document.body.querySelectorAll('input[aria-haspopup="listbox"]'))
    if (field instanceof HTMLInputElement) said.push({ as: 'choice', text: field.value })
  return said
}
