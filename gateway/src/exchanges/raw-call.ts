import type { ExchangeCode, Family, HttpMethod, UpstreamCall } from './exchange.ts'
import { exchangeName } from './exchange.ts'
import { kindOf } from './policy/kind-of.ts'
import { mexcSignedMarketData } from './policy/mexc.ts'
import { isPlainPath } from './policy/plain-path.ts'
import type { CallKind } from './policy/rules.ts'
import { refusedCategory } from './policy/unified-category.ts'
import {
  CategoryForbiddenError,
  DemoHeaderInvalidError,
  EndpointForbiddenError,
  PathNotPlainError,
  QueryNotPlainError,
} from './protocol/errors.ts'
import { withoutJsonFields } from './protocol/json-text.ts'
import { withoutNames } from './protocol/query-text.ts'

/** A call as a bot wrote it for the exchange itself, that its policy lets through. */
export interface RawCall {
  readonly kind: Exclude<CallKind, 'never'>
  /** Without a body yet, and without what the bot signed it with. */
  readonly call: UpstreamCall
}

export interface RawHead {
  readonly method: string
  /** Path and query as the exchange has them. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Reads the head of a bot's call: matches it with the policy, and takes away the bot's own signature.
 * Nothing of its headers goes on but what changes the meaning of a Bitget call.
 * @throws PathNotPlainError, QueryNotPlainError, EndpointForbiddenError, DemoHeaderInvalidError
 */
export function readRawHead(exchange: ExchangeCode, { method, target, headers }: RawHead): RawCall {
  const at = target.indexOf('?')
  const path = at === -1 ? target : target.slice(0, at)
  const query = at === -1 ? '' : target.slice(at + 1)
  if (!isPlainPath(path)) throw new PathNotPlainError()
  if (!/^[\x21-\x7e]*$/.test(query) || query.includes('#')) throw new QueryNotPlainError()
  const family = familyOf(exchange, path)
  const kind = isMethod(method) ? kindOf(exchange, method, path) : 'never'
  if (kind === 'never' || !isMethod(method))
    throw new EndpointForbiddenError(`${method} ${path}`, exchangeName(family))
  const call: UpstreamCall = {
    family,
    method,
    path,
    query: family === 'mexc-spot' ? withoutNames(query, isOfSignature) : query,
    body: null,
    signed: kind !== 'market' || mexcSignedMarketData.has(path),
    ...(family === 'bitget' ? settingsOf(headers) : {}),
  }
  return { kind, call }
}

/**
 * The call with its body, byte for byte but for a signature in it, which only MEXC spot knows. An empty
 * one is none.
 * @throws CategoryForbiddenError
 */
export function withRawBody(call: UpstreamCall, text: string, type = ''): UpstreamCall {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type)
  const body = call.family === 'mexc-spot' ? unsigned(text, isForm) : text
  const whole = { ...call, body: body === '' ? null : body, ...(isForm ? { isForm } : {}) }
  const category = refusedCategory(whole)
  if (category !== undefined) throw new CategoryForbiddenError(category.slice(0, 40))
  return whole
}

function unsigned(body: string, isForm: boolean): string {
  return isForm ? withoutNames(body, isOfSignature) : withoutJsonFields(body, isOfSignature)
}

function familyOf(exchange: ExchangeCode, path: string): Family {
  if (exchange === 'bg') return 'bitget'
  return path.startsWith('/api/v1/') ? 'mexc-futures' : 'mexc-spot'
}

function isMethod(method: string): method is HttpMethod {
  return ['GET', 'POST', 'PUT', 'DELETE'].includes(method)
}

/** The parameters by which MEXC spot is told the time and the signature; the gateway makes its own. */
function isOfSignature(name: string): boolean {
  return ['timestamp', 'recvwindow', 'signature'].includes(name.toLowerCase())
}

/**
 * The demo account and the language of messages (docs/exchanges/bitget.md, 1 and 2).
 * @throws DemoHeaderInvalidError
 */
function settingsOf({ paptrading, locale }: RawHead['headers']) {
  if (paptrading !== undefined && paptrading !== '1') throw new DemoHeaderInvalidError()
  return {
    ...(paptrading === '1' ? { demo: true } : {}),
    ...(typeof locale === 'string' && /^[A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?$/.test(locale)
      ? { locale }
      : {}),
  }
}
