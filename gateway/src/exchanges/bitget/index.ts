import { type AccountKind, EXCHANGE_NAMES } from 'schema'
import type { Exchange, KeyCheck, KeyProtocol, PositionProtocol, PositionRead } from '../adapter.ts'
import { readCallTable } from '../call-table.ts'
import { bitgetClosed } from '../closed-calls.ts'
import type { OrderKey } from '../order-lookup/order-key.ts'
import { jsonFields } from '../order-lookup/order-protocol.ts'
import { type Narrowing, type Places, wantedIdOf } from '../order-lookup/search.ts'
import type { PositionMode, PositionPlace } from '../position-part.ts'
import {
  mayWithdraw,
  permissionNames,
  tickerOf,
  withdrawalWarnings,
} from '../protocol/response-parts.ts'
import { isRecord, recordsOf, textOf } from '../protocol/untrusted.ts'
import { checkCategory, settingsOf } from './bot-calls.ts'
import {
  bitgetHeaders,
  futuresTickerCall,
  marketCall,
  PRODUCT_TYPE,
  readCall,
  signBitget,
  spotTickersCall,
} from './call.ts'
import { cancelForm } from './cancels.ts'
import { classicRows, classicStopCalls } from './classic/calls.ts'
import { accountIdCall } from './classic/documented.ts'
import { bitgetClassicFeed } from './classic/feed.ts'
import { classicPlaces } from './classic/find-order.ts'
import { foundResult } from './documented.ts'
import { bitgetLimits } from './limits.ts'
import {
  bitgetClasses,
  bitgetUnknown,
  foundResponse,
  isBitgetError,
  readBitgetResponse,
  refusals,
  severalResponse,
} from './responses.ts'
import { readContractRules, readSpotRules } from './symbol-rules.ts'
import { unifiedRows, unifiedStopCalls } from './unified/calls.ts'
import { infoCall, openOrdersCall } from './unified/documented.ts'
import { bitgetUnifiedFeed } from './unified/feed.ts'
import { unifiedPlaces } from './unified/find-order.ts'

const keys: KeyProtocol = {
  hasPassphrase: true,
  check: (kind) => (kind === 'unified' ? infoCall() : accountIdCall()),
  read: readAccountInfo,
  fallback: (kind) =>
    kind === 'unified' ? { check: openOrdersCall(), read: readTradeOnly } : undefined,
}

/**
 * Bitget reports the permissions of a key only if it may manage the account. A key that may only
 * trade can read its open orders (docs/exchanges/bitget-unified.md, 2).
 */
function readTradeOnly(): KeyCheck {
  return {
    permissions: ['uta_trade'],
    canWithdraw: null,
    ipBinding: null,
    warnings: [TRADE_ONLY, ...withdrawalWarnings(null)],
  }
}

/**
 * How Bitget names the permissions of a classic account is not established
 * (docs/exchanges/bitget.md, 1): both known spellings of withdrawing are looked for, and the
 * harmless ones are the words of the page where keys are made. Those of a unified account:
 * docs/exchanges/bitget-unified.md, 2.
 */
const PERMISSION_WORDS = {
  withdraws: /withdraw|^wwow$/i,
  harmless: /^(read|readonly|trade|transfer|uta_trade|uta_mgt|copy_futures_(position|order))$/,
}

const TRADE_ONLY =
  'This key may trade, but neither read balances nor set the leverage, and Bitget does not report its IP binding: give it the permission uta_mgt at Bitget.'

function readAccountInfo(info: Readonly<Record<string, unknown>>): KeyCheck {
  const isUnified = info.authorities === undefined && Array.isArray(info.permissions)
  const permissions = permissionNames(isUnified ? info.permissions : info.authorities)
  const ips = textOf(info.ips)
    ?.split(',')
    .map((ip) => ip.trim())
    .filter((ip) => ip !== '')
  const canWithdraw = mayWithdraw(permissions, PERMISSION_WORDS)
  return {
    permissions,
    canWithdraw,
    accountUid: uidOf(info.userId),
    ipBinding: ips ?? [],
    warnings: [
      ...(isUnified ? unifiedWarnings(permissions, info.permType) : []),
      ...withdrawalWarnings(canWithdraw),
      ...(ips === undefined || ips.length === 0
        ? ['The key is not bound to an IP address: anyone who obtains it can use it from anywhere.']
        : []),
    ],
  }
}

/** Whatever is no account's id does not identify one. */
function uidOf(userId: unknown): string | undefined {
  const text = textOf(userId)
  return text !== undefined && /^[1-9]\d{0,31}$/.test(text) ? text : undefined
}

/**
 * A unified key is for trading, for the account, or for both (docs/exchanges/bitget-unified.md, 2).
 */
function unifiedWarnings(permissions: readonly string[], permType: unknown): string[] {
  return permType === 'read-only' || !permissions.includes('uta_trade')
    ? ['This key may not trade: orders will be rejected.']
    : []
}

/**
 * A call for past orders of v3 is about 30 days at most, and those of v2 reach further
 * (docs/exchanges/bitget-unified.md, 3; docs/exchanges/bitget.md, 3 and 4). A day is left for
 * clocks.
 */
const LISTED_FOR_MS = 29 * 86_400_000

/** Where a Bitget order may be; undefined when there is nothing to look it up by. */
function placesOf(
  order: OrderKey,
  sentAtMs: number,
  nowMs: number,
  narrowing: Narrowing,
): Places | undefined {
  const wanted = wantedIdOf(order)
  if (wanted === undefined) return undefined
  const search = { order, wanted, sentAtMs, narrowing }
  return order.isUnified === true ? unifiedPlaces(search, nowMs) : classicPlaces(search, nowMs)
}

/**
 * The order as it is looked up in an account whose kind has changed since the order was sent. What
 * happens to orders during the change is not documented (docs/exchanges/bitget-unified.md, 1): an
 * order that is found is proven, and absence proves nothing. v2 and v3 write the side of an order
 * that closes a position differently, so position and side are then not compared. Trigger orders
 * and changes have no counterpart on the other API.
 */
function keyInKind(order: OrderKey, kind: AccountKind): OrderKey {
  const isUnified = kind === 'unified'
  const hasMoved = (order.isUnified === true) !== isUnified
  if (!hasMoved || order.plan !== undefined || order.action === 'modify') return order
  const { position, side, ...terms } = order.terms ?? {}
  return {
    ...order,
    isUnified,
    hasMoved: true,
    productType:
      order.market === 'futures'
        ? order.productType?.toUpperCase()
        : isUnified
          ? 'SPOT'
          : undefined,
    ...(order.terms === undefined
      ? {}
      : { terms: position === undefined ? { ...terms, side } : terms }),
  }
}

/**
 * The mode is that of a product type (docs/exchanges/bitget.md, 4), on a unified account of the
 * whole account (docs/exchanges/bitget-unified.md, 6).
 */
const positions: PositionProtocol = {
  modeReads: (place, kind) =>
    (kind === 'unified' ? unifiedReads(place) : classicReads(place)).map(({ call, read }) => ({
      call: place.demo === true ? { ...call, demo: true } : call,
      read,
    })),
}

function classicReads({ symbol, productType }: PositionPlace): PositionRead<PositionMode>[] {
  if (productType === undefined) return []
  const marginCoin = marginCoinOf(symbol, productType)
  return [
    {
      call: readCall('/api/v2/mix/account/account', { symbol, productType, marginCoin }),
      read: (data) => (isRecord(data) ? modeIn(data.posMode) : undefined),
    },
  ]
}

/** A key that may only trade is not given the settings; its positions have the mode too. */
function unifiedReads({ symbol, productType }: PositionPlace): PositionRead<PositionMode>[] {
  return [
    {
      call: readCall('/api/v3/account/settings', {}),
      read: (data) => (isRecord(data) ? modeIn(data.holdMode) : undefined),
    },
    {
      call: readCall('/api/v3/position/current-position', { category: productType, symbol }),
      read: (data) => {
        const [first] = recordsOf(isRecord(data) ? data.list : undefined)
        return modeIn(first?.holdMode)
      },
    },
  ]
}

/** The coin of `COIN-FUTURES` is that of the symbol: BTC of BTCUSD. */
function marginCoinOf(symbol: string, productType: string): string {
  const [coin = ''] = productType.split('-')
  return coin.endsWith('COIN') ? symbol.replace(/USD.*$/, '') : coin
}

function modeIn(word: unknown): PositionMode | undefined {
  const mode = textOf(word)
  return mode === 'hedge_mode' ? 'hedge' : mode === 'one_way_mode' ? 'oneWay' : undefined
}

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
  refusals,
  // In every response, also in rejections (docs/exchanges/bitget.md, 6).
  timeOfCall: (_call, value) => (isRecord(value) ? value.requestTime : undefined),
  accountKindOf: ({ path }) => (path.startsWith('/api/v3/') ? 'unified' : 'classic'),
  calls: readCallTable([...classicRows, ...unifiedRows], bitgetClosed),
  botCalls: {
    ownsPath: () => true,
    settingsOf,
    checkBody: checkCategory,
    // The bot's own deadline (docs/exchanges/bitget.md, 2), which differs in each try.
    perTryFields: ['requestTime', 'receiveWindow'],
  },
  orders: {
    fields: jsonFields,
    responseNames: {
      clientOrderId: ['clientOid'],
      // [?] No page says which order it names.
      madeId: () => ['executeOrderId'],
    },
    placesOf,
    listedForMs: LISTED_FOR_MS,
    keyInKind,
    cancelForm,
    foundResponse,
    severalResponse,
    documentedResponse: foundResult,
  },
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
  feeds: [bitgetClassicFeed, bitgetUnifiedFeed],
}
