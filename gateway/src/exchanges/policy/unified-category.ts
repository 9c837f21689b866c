import type { UpstreamCall } from '../exchange.ts'
import { isSpelledLike } from '../protocol/json-text.ts'
import { readPairs } from '../protocol/query-text.ts'
import { upperAscii } from '../protocol/untrusted.ts'

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
export function refusedCategory(call: UpstreamCall, hasJson: boolean): string | undefined {
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
