import { createHmac } from 'node:crypto'
import { EXCHANGE_NAMES } from 'schema'
import type { Exchange, NamedPosition, PositionProtocol } from '../adapter.ts'
import {
  bodyTypeOf,
  type ExchangeKeys,
  publicReadOf,
  readOf,
  type SignedRequest,
  type UpstreamCall,
} from '../exchange.ts'
import { foundResult } from '../mexc-results.ts'
import { jsonFields } from '../order-lookup/order-protocol.ts'
import type { PositionMode } from '../position-part.ts'
import { type QueryValues, queryOf, sortedByName, targetOf } from '../protocol/query-text.ts'
import { tickerOf } from '../protocol/response-parts.ts'
import { isRecord, recordsOf, textOf } from '../protocol/untrusted.ts'
import { calls } from './calls.ts'
import { cancelForm } from './documented.ts'
import { mexcFuturesFeed } from './feed.ts'
import { LISTED_FOR_MS, placesOf } from './find-order.ts'
import { mexcFuturesLimits } from './limits.ts'
import {
  FUTURES_UNKNOWN,
  foundResponse,
  futuresClasses,
  isFuturesError,
  readContractRules,
  readFuturesResponse,
  refusals,
  severalResponse,
} from './responses.ts'

/** When an order was taken; other responses have no time, or that of cached data. */
function timeOfCall({ path }: UpstreamCall, value: unknown): unknown {
  if (!isRecord(value)) return undefined
  if (/^\/api\/v1\/private\/order\/(create|submit)$/.test(path))
    return isRecord(value.data) ? value.data.ts : undefined
  return path === '/api/v1/contract/ping' ? value.data : undefined
}

/**
 * Signs a MEXC futures call: key, time, then the body of a POST or the name-sorted query of
 * everything else.
 *
 * Which form of a value that needs percent-encoding is signed is disputed: the documentation and
 * three libraries sign the encoded one, MEXC's samples of 2026 the raw one. The encoded one is
 * signed here, as it is sent; the calls that the gateway builds avoid such values. A query in
 * another order is sent sorted too: an unsorted one is rejected (602). `Recv-Window` is left out
 * because its unit is not established (docs/exchanges/mexc.md, 2.2).
 * @param timestampMs the exchange's time, not ours; it may be 10 s off
 */
function signMexcFutures(
  call: UpstreamCall,
  keys: ExchangeKeys,
  timestampMs: number,
): SignedRequest {
  const query = sortedByName(call.query)
  // A POST without parameters is sent and signed as an empty object.
  const body = call.method === 'POST' ? (call.body ?? '{}') : call.body
  const signature = createHmac('sha256', keys.apiSecret)
    .update(`${keys.apiKey}${timestampMs}${call.method === 'POST' ? body : query}`)
    .digest('hex')
  return {
    method: call.method,
    url: targetOf(call.path, query),
    headers: {
      ApiKey: keys.apiKey,
      'Request-Time': `${timestampMs}`,
      Signature: signature,
      'Content-Type': bodyTypeOf(call),
    },
    body,
  }
}

/** docs/exchanges/mexc-futures.md, 4.3 and 4.6. The mode is that of the whole account. */
const positions: PositionProtocol = {
  modeReads: () => [{ call: readCall('position_mode', {}), read: readMode }],
  positionRead: (positionId) => ({
    call: readCall('open_positions', { positionId }),
    read: (data) => readPosition(data, positionId),
  }),
}

function readMode(data: unknown): PositionMode | undefined {
  const mode = textOf(data)
  return mode === '1' ? 'hedge' : mode === '2' ? 'oneWay' : undefined
}

/** The list may have others: that it is narrowed by the id is one source's word. */
function readPosition(data: unknown, positionId: string): NamedPosition | undefined {
  const row = recordsOf(data).find((each) => textOf(each.positionId) === positionId)
  const symbol = textOf(row?.symbol)
  const type = textOf(row?.positionType)
  const side = type === '1' ? 'long' : type === '2' ? 'short' : undefined
  // State 3 is closed.
  if (symbol === undefined || side === undefined || textOf(row?.state) === '3') return undefined
  return { symbol, side }
}

function readCall(name: string, values: QueryValues): UpstreamCall {
  return readOf('mexc-futures', `/api/v1/private/position/${name}`, queryOf(values))
}

/** MEXC's futures API v1. */
export const mexcFutures: Exchange = {
  family: 'mexc-futures',
  code: 'mx',
  name: EXCHANGE_NAMES.mx,
  title: 'MEXC futures',
  sign: signMexcFutures,
  readEnvelope: readFuturesResponse,
  isOwnError: isFuturesError,
  codes: { classes: futuresClasses, unknown: FUTURES_UNKNOWN },
  refusals,
  timeOfCall,
  calls,
  botCalls: { ownsPath: (path) => path.startsWith('/api/v1/') },
  orders: {
    fields: jsonFields,
    responseNames: {
      clientOrderId: ['externalOid'],
      // Where a trigger order has an `id`, `orderId` is the order that it makes.
      triggerId: ['id', 'orderId'],
      // `orderId` of a stop order is the order that it hangs on, and `placeOrderId` is the one that
      // it makes [?] (docs/exchanges/mexc-futures.md, 4.7).
      madeId: (plan) => (plan === 'stoporder' ? ['placeOrderId'] : ['placeOrderId', 'orderId']),
    },
    placesOf,
    listedForMs: LISTED_FOR_MS,
    cancelForm,
    foundResponse,
    severalResponse,
    documentedResponse: foundResult,
  },
  positions,
  stopCalls: [
    {
      below: '/api/v1/private/',
      trigger: 'POST /api/v1/private/planorder/place/v2',
      exit: 'POST /api/v1/private/stoporder/place',
      trailing: 'POST /api/v1/private/trackorder/place',
      exitOfSize: 'POST /api/v1/private/stoporder/place with "volType": 1 and "vol"',
      closeOfSize: 'POST /api/v1/private/order/create with "side": 2 or 4 and "vol"',
    },
  ],
  time: {
    paths: ['/api/v1/contract/ping'],
    read: (data) => data,
    response: (nowMs) => ({ success: true, code: 0, data: nowMs }),
  },
  limits: mexcFuturesLimits,
  rules: {
    futures: {
      call: (symbol) =>
        publicReadOf('mexc-futures', '/api/v1/contract/detail', queryOf({ symbol })),
      read: readContractRules,
    },
  },
  prices: {
    futures: {
      call: (symbol) =>
        publicReadOf('mexc-futures', '/api/v1/contract/ticker', queryOf({ symbol })),
      read: tickerOf,
      names: ['fairPrice', 'lastPrice', 'bid1', 'ask1'],
    },
  },
  feeds: [mexcFuturesFeed],
}
