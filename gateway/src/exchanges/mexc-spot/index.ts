import { createHmac } from 'node:crypto'
import { EXCHANGE_NAMES } from 'schema'
import type { Exchange } from '../adapter.ts'
import {
  bodyTypeOf,
  type ExchangeKeys,
  publicReadOf,
  type SignedRequest,
  type UpstreamCall,
} from '../exchange.ts'
import { foundResult } from '../mexc-results.ts'
import { type CallFields, fillListText, jsonFields } from '../order-lookup/order-protocol.ts'
import type { JsonText } from '../protocol/json-text.ts'
import {
  joinQueries,
  mapValues,
  queryOf,
  queryText,
  readPairs,
  targetOf,
  withoutNames,
} from '../protocol/query-text.ts'
import { tickerOf } from '../protocol/response-parts.ts'
import { isRecord } from '../protocol/untrusted.ts'
import { calls } from './calls.ts'
import { cancelForm } from './documented.ts'
import { mexcSpotFeed } from './feed.ts'
import { LISTED_FOR_MS, placesOf } from './find-order.ts'
import { keys } from './keys.ts'
import { mexcSpotLimits } from './limits.ts'
import {
  foundResponse,
  isSpotError,
  readSpotResponse,
  readSpotRules,
  refusals,
  SPOT_UNKNOWN,
  severalResponse,
  spotClasses,
} from './responses.ts'

/**
 * Signs a MEXC spot v3 call. The text signed is the query as it is sent, followed directly by the
 * body if there is one; order is the caller's (MEXC spot v3 documentation, "Signed"; known answers
 * in the signing vectors).
 * @param timestampMs the exchange's time, not ours
 * @param recvWindowMs how old the exchange may find the request, at most 60000; left out when
 * undefined (it takes 5000)
 */
export function signMexcSpot(
  call: UpstreamCall,
  keys: ExchangeKeys,
  timestampMs: number,
  recvWindowMs?: number,
): SignedRequest {
  const own = queryText([
    ...(call.keyParameter === undefined ? [] : [[call.keyParameter, keys.apiKey] as const]),
    ['timestamp', `${timestampMs}`],
    ...(recvWindowMs === undefined ? [] : [['recvWindow', `${recvWindowMs}`] as const]),
  ])
  const query = joinQueries(call.query, own)
  const signature = createHmac('sha256', keys.apiSecret)
    .update(query + (call.body ?? ''))
    .digest('hex')
  return {
    method: call.method,
    url: targetOf(call.path, `${query}&signature=${signature}`),
    headers: { 'X-MEXC-APIKEY': keys.apiKey, 'Content-Type': bodyTypeOf(call) },
    body: call.body,
  }
}

/**
 * The fields of a call are parameters of its query or body; the documentation sends a form, some
 * programs JSON.
 */
const parameterFields: CallFields = {
  // A parameter that is in both is taken from the query (docs/exchanges/mexc.md, 2.1).
  read: (call, json) => ({ ...bodyFields(call.body ?? '', json), ...pairsByName(call.query) }),

  // An empty one is removed: which of two counts is not documented.
  fill(call, _json, fields) {
    const others = withoutNames(call.query, (name) => Object.hasOwn(fields, name))
    return { ...call, query: joinQueries(others, queryText(Object.entries(fields))) }
  },

  fillList(call, json, field, change) {
    if (field === undefined) return call
    const query = mapValues(call.query, field, (list) => fillListText(list, change))
    if (query !== call.query) return { ...call, query }
    const { body } = call
    if (body === null || isObjectText(body)) return jsonFields.fillList(call, json, field, change)
    const form = mapValues(body, field, (list) => fillListText(list, change))
    return form === body ? call : { ...call, body: form }
  },
}

function bodyFields(text: string, json: JsonText | undefined): Record<string, unknown> {
  if (!isObjectText(text)) return pairsByName(text)
  return isRecord(json?.value) ? json.value : {}
}

const isObjectText = (text: string) => text.trimStart().startsWith('{')

/** Which of two values counts is not documented: such a parameter is none that can be relied on. */
function pairsByName(query: string): Record<string, unknown> {
  const fields = new Map<string, unknown>()
  for (const [name, value] of readPairs(query)) {
    fields.set(name, fields.has(name) && fields.get(name) !== value ? AMBIGUOUS : value)
  }
  return Object.fromEntries(fields)
}

/** Neither a text nor missing. */
const AMBIGUOUS = false

/** Parameters by which a bot tells the time and the signature; the gateway makes its own. */
const SIGNATURE_PARAMETERS: ReadonlySet<string> = new Set(['timestamp', 'recvwindow', 'signature'])

/** When an order was taken; other responses have no time, or that of cached data. */
function timeOfCall({ method, path }: UpstreamCall, value: unknown): unknown {
  if (!isRecord(value)) return undefined
  if (method === 'POST' && path === '/api/v3/order') return value.transactTime
  return path === '/api/v3/time' ? value.serverTime : undefined
}

/** MEXC's spot API v3. */
export const mexcSpot: Exchange = {
  family: 'mexc-spot',
  code: 'mx',
  name: EXCHANGE_NAMES.mx,
  title: 'MEXC spot',
  sign: signMexcSpot,
  readEnvelope: readSpotResponse,
  isOwnError: isSpotError,
  codes: { classes: spotClasses, unknown: SPOT_UNKNOWN },
  refusals,
  timeOfCall,
  calls,
  botCalls: {
    ownsPath: (path) => path.startsWith('/api/v3/'),
    isOfSignature: (name) => SIGNATURE_PARAMETERS.has(name.toLowerCase()),
  },
  orders: {
    fields: parameterFields,
    responseNames: { clientOrderId: ['newClientOrderId', 'origClientOrderId'] },
    placesOf,
    listedForMs: LISTED_FOR_MS,
    cancelForm,
    foundResponse,
    severalResponse,
    documentedResponse: foundResult,
  },
  time: {
    paths: ['/api/v3/time'],
    read: (data) => (isRecord(data) ? data.serverTime : undefined),
    response: (nowMs) => ({ serverTime: nowMs }),
  },
  limits: mexcSpotLimits,
  rules: {
    spot: {
      call: (symbol) => publicReadOf('mexc-spot', '/api/v3/exchangeInfo', queryOf({ symbol })),
      read: readSpotRules,
    },
  },
  prices: {
    // docs/exchanges/mexc.md, 3: some of the fields are null or empty.
    spot: {
      call: (symbol) => publicReadOf('mexc-spot', '/api/v3/ticker/24hr', queryOf({ symbol })),
      read: tickerOf,
      names: ['lastPrice', 'bidPrice', 'askPrice'],
    },
  },
  keys,
  feeds: [mexcSpotFeed],
}
