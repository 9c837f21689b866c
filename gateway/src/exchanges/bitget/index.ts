import { EXCHANGE_NAMES } from 'schema'
import type { Exchange } from '../adapter.ts'
import { jsonFields } from '../order-lookup/order-protocol.ts'
import { bitgetPolicy } from '../policy/bitget.ts'
import { tickerOf } from '../protocol/response-parts.ts'
import { isRecord } from '../protocol/untrusted.ts'
import { checkCategory, settingsOf } from './bot-calls.ts'
import { marketCall, PRODUCT_TYPE } from './call.ts'
import { cancelAlls } from './cancel-all.ts'
import { cancelForm } from './cancel-form.ts'
import { classicEffects, classicStopCalls } from './classic/effects.ts'
import { classicOrderCalls } from './classic/order-calls.ts'
import { closes } from './closes.ts'
import { foundResponse, keyInKind, LISTED_FOR_MS, placesOf } from './find-order.ts'
import { keys } from './keys.ts'
import { bitgetLimits } from './limits.ts'
import { futuresTickerCall, spotTickersCall } from './market-calls.ts'
import { positions } from './positions.ts'
import { isBitgetError, readBitgetResponse } from './read-response.ts'
import { bitgetClasses, bitgetUnknown } from './rejection-codes.ts'
import { foundResult } from './results.ts'
import { severalResponse } from './several-data.ts'
import { bitgetHeaders, signBitget } from './sign.ts'
import { readContractRules, readSpotRules } from './symbol-rules.ts'
import { unifiedEffects, unifiedStopCalls } from './unified/effects.ts'
import { unifiedOrderCalls } from './unified/order-calls.ts'

/** Bitget's API v2 for classic accounts, and v3 for unified ones. */
export const bitget: Exchange = {
  family: 'bitget',
  code: 'bg',
  name: EXCHANGE_NAMES.bg,
  title: 'Bitget',
  sign: signBitget,
  headersOf: bitgetHeaders,
  readEnvelope: (_call, status, value) => readBitgetResponse(status, value),
  isOwnError: isBitgetError,
  codes: { classes: bitgetClasses, unknown: bitgetUnknown },
  // In every response, also in rejections (docs/exchanges/bitget.md, 6).
  timeOfCall: (_call, value) => (isRecord(value) ? value.requestTime : undefined),
  accountKindOf: ({ path }) => (path.startsWith('/api/v3/') ? 'unified' : 'classic'),
  botCalls: {
    ownsPath: () => true,
    policy: bitgetPolicy,
    settingsOf,
    checkBody: checkCategory,
    // The bot's own deadline (docs/exchanges/bitget.md, 2), which differs in each try.
    perTryFields: ['requestTime', 'receiveWindow'],
  },
  orders: {
    calls: new Map([...classicOrderCalls, ...unifiedOrderCalls]),
    closes,
    fields: jsonFields,
    placesOf,
    listedForMs: LISTED_FOR_MS,
    keyInKind,
    cancelForm,
    cancelAlls,
    foundResponse,
    severalResponse,
    documentedResponse: foundResult,
  },
  effects: new Map([...classicEffects, ...unifiedEffects]),
  positions,
  stopCalls: [...classicStopCalls, unifiedStopCalls],
  time: {
    // The second is that of the unified account.
    paths: ['/api/v2/public/time', '/api/v3/public/time'],
    read: (data) => (isRecord(data) ? data.serverTime : undefined),
    response: (nowMs) => ({
      code: '00000',
      msg: 'success',
      requestTime: nowMs,
      data: { serverTime: `${nowMs}` },
    }),
  },
  limits: bitgetLimits,
  rules: {
    spot: {
      call: (symbol) => marketCall('/api/v2/spot/public/symbols', { symbol }),
      read: readSpotRules,
    },
    futures: {
      call: (symbol) =>
        marketCall('/api/v2/mix/market/contracts', { productType: PRODUCT_TYPE, symbol }),
      read: readContractRules,
    },
  },
  prices: {
    spot: {
      call: (symbol) => spotTickersCall({ symbol }),
      read: tickerOf,
      names: ['lastPr', 'bidPr', 'askPr'],
    },
    futures: {
      call: (symbol) => futuresTickerCall({ symbol }),
      read: tickerOf,
      names: ['markPrice', 'lastPr', 'bidPr', 'askPr'],
    },
  },
  keys,
}
