import { EXCHANGE_NAMES } from 'schema'
import type { Exchange } from '../adapter.ts'
import { publicReadOf, type UpstreamCall } from '../exchange.ts'
import { foundResult } from '../mexc-results.ts'
import { queryOf } from '../protocol/query-text.ts'
import { tickerOf } from '../protocol/response-parts.ts'
import { isRecord } from '../protocol/untrusted.ts'
import { parameterFields, signMexcSpot } from './call-text.ts'
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
  refusals,
  SPOT_UNKNOWN,
  severalResponse,
  spotClasses,
} from './responses.ts'
import { readSpotRules } from './symbol-rules.ts'

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
