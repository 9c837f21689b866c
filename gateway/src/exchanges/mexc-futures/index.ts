import { EXCHANGE_NAMES } from 'schema'
import type { Exchange } from '../adapter.ts'
import type { UpstreamCall } from '../exchange.ts'
import { foundResult } from '../mexc-results.ts'
import { jsonFields } from '../order-lookup/order-protocol.ts'
import { mexcPolicy } from '../policy/mexc.ts'
import { queryOf } from '../protocol/query-text.ts'
import { tickerOf } from '../protocol/response-parts.ts'
import { isRecord } from '../protocol/untrusted.ts'
import { cancelAlls, cancelForm } from './cancel-form.ts'
import { closes } from './closes.ts'
import { effects } from './effects.ts'
import { foundResponse, LISTED_FOR_MS, placesOf } from './find-order.ts'
import { mexcFuturesLimits } from './limits.ts'
import { orderCalls } from './order-calls.ts'
import { positions } from './positions.ts'
import { isFuturesError, readFuturesResponse } from './read-response.ts'
import { FUTURES_UNKNOWN, futuresClasses } from './rejection-codes.ts'
import { severalResponse } from './several-data.ts'
import { signMexcFutures } from './sign.ts'
import { readContractRules } from './symbol-rules.ts'

/** When an order was taken; other responses have no time, or that of cached data. */
function timeOfCall({ path }: UpstreamCall, value: unknown): unknown {
  if (!isRecord(value)) return undefined
  if (/^\/api\/v1\/private\/order\/(create|submit)$/.test(path))
    return isRecord(value.data) ? value.data.ts : undefined
  return path === '/api/v1/contract/ping' ? value.data : undefined
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
  timeOfCall,
  botCalls: { ownsPath: (path) => path.startsWith('/api/v1/'), policy: mexcPolicy },
  orders: {
    calls: orderCalls,
    closes,
    fields: jsonFields,
    placesOf,
    listedForMs: LISTED_FOR_MS,
    cancelForm,
    cancelAlls,
    foundResponse,
    severalResponse,
    documentedResponse: foundResult,
  },
  effects,
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
      call: (symbol) => ({
        family: 'mexc-futures',
        method: 'GET',
        path: '/api/v1/contract/detail',
        query: queryOf({ symbol }),
        body: null,
        signed: false,
      }),
      read: readContractRules,
    },
  },
  prices: {
    futures: {
      call: (symbol) => ({
        family: 'mexc-futures',
        method: 'GET',
        path: '/api/v1/contract/ticker',
        query: queryOf({ symbol }),
        body: null,
        signed: false,
      }),
      read: tickerOf,
      names: ['fairPrice', 'lastPrice', 'bid1', 'ask1'],
    },
  },
}
