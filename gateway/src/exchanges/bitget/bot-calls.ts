import type { BodyRule } from '../call-table.ts'
import type { RequestHeaders, UpstreamCall } from '../exchange.ts'
import { CategoryForbiddenError, DemoHeaderInvalidError } from '../protocol/errors.ts'
import { isSpelledLike } from '../protocol/json-text.ts'
import { readPairs } from '../protocol/query-text.ts'
import { upperAscii } from '../protocol/untrusted.ts'

/**
 * The demo account and the language of messages (docs/exchanges/bitget.md, 1 and 2).
 * @throws DemoHeaderInvalidError
 */
export function settingsOf({ paptrading, locale }: RequestHeaders) {
  if (paptrading !== undefined && paptrading !== '1') throw new DemoHeaderInvalidError()
  return {
    ...(paptrading === '1' ? { demo: true } : {}),
    ...(typeof locale === 'string' && /^[A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?$/.test(locale)
      ? { locale }
      : {}),
  }
}

/** @throws CategoryForbiddenError for an order of the unified account that could borrow */
export function checkCategory(call: UpstreamCall, hasJson: boolean): void {
  const category = refusedCategory(call, hasJson)
  if (category !== undefined) throw new CategoryForbiddenError(category.slice(0, 40))
}

/**
 * Where an order of Bitget's unified account may trade: an order in any other category can borrow.
 */
const CATEGORIES: ReadonlySet<unknown> = new Set([
  'SPOT',
  'USDT-FUTURES',
  'COIN-FUTURES',
  'USDC-FUTURES',
])

/**
 * The category for which an order of the unified account is refused; undefined when it is fine, or
 * when the call places none. Every category anywhere in it has to be a known one: of two with one
 * name nobody knows which counts. A body that cannot be read is refused for what it may hold.
 * @param hasJson whether the call's body is JSON
 */
function refusedCategory(call: UpstreamCall, hasJson: boolean): string | undefined {
  if (call.method !== 'POST') return undefined
  if (!call.path.startsWith('/api/v3/trade/')) return undefined
  const body = call.body ?? ''
  if (body.trim() !== '' && !hasJson) return 'unreadable'
  const inQuery = readPairs(call.query).flatMap(([name, value]) => (isName(name) ? [value] : []))
  return [...inQuery, ...categoriesIn(body)].find((each) => !CATEGORIES.has(upperAscii(each)))
}

const isName = (name: string) => isSpelledLike(name, 'category')

/** A text that is a field's name, and what follows its colon. */
const FIELD =
  /("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|[^\s,{}[\]"]*)|"[^"\\]*(?:\\.[^"\\]*)*"/g

/** Also those that a parser would drop because another of the same name follows. */
function categoriesIn(json: string): string[] {
  return [...json.matchAll(FIELD)].flatMap(([, name, value = '']) =>
    name !== undefined && isName(JSON.parse(name)) ? [textOf(value)] : [],
  )
}

function textOf(value: string): string {
  return value.startsWith('"') ? String(JSON.parse(value)) : value
}

/**
 * docs/exchanges/bitget.md, 4: it closes every position, also those of the account's other clients.
 */
export const closingAllOf: BodyRule = {
  when: 'without a `symbol`: it then closes every position',
  kind: 'settings',
  field: 'symbol',
  applies: (values, alike) => values.length === 0 || !alike.every(isWritten),
}

/** The types of a strategy order that trade once; without a type it is `tpsl`. */
const TRIGGER_TYPES: ReadonlySet<unknown> = new Set(['tpsl', 'trigger', '', null])

/** docs/exchanges/bitget-unified.md, 3. No other type is documented [?]. */
export const tradingOnItsOwn: BodyRule = {
  when: 'with a `type` other than `tpsl` and `trigger`',
  kind: 'strategies',
  field: 'type',
  applies: (_values, alike) => !alike.every((value) => TRIGGER_TYPES.has(value)),
}

function isWritten(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
