import type { Account, Permission } from '../account.ts'
import { type Json, type ReceivedJson, readJson } from '../exact-numbers.ts'
import { isList, isObject, Params } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import { OrderRejectedError } from '../order-shelf.ts'
import { coinsOf } from '../venue.ts'
import { listenKeyEndpoints } from './listen-keys.ts'
import {
  orderWeight,
  SpotRejection,
  signedWeight,
  spotProblems,
  toSpotRejection,
  twicePerSecond,
} from './spot-family.ts'
import { spotMarketEndpoints, spotTapeEndpoints } from './spot-market.ts'
import { limitOf, placeOrder, spotOrderEndpoints } from './spot-orders.ts'
import { ORDER_ID_PREFIX, orderIdOf, spotMarketNamed, toTradeView } from './spot-views.ts'

const DAY_MS = 86_400_000
/** How long a key lasts that is bound to no address (docs/exchanges/mexc.md, 1). */
const UNBOUND_DAYS = 90

const NAMES: Readonly<Record<Permission, readonly string[]>> = {
  read: ['SPOT_ACCOUNT_READ', 'SPOT_DEAL_READ', 'CONTRACT_ACCOUNT_READ', 'CONTRACT_DEAL_READ'],
  trade: ['SPOT_DEAL_WRITE', 'CONTRACT_DEAL_WRITE'],
  // Of Bitget only.
  manage: [],
  transfer: ['SPOT_TRANSFER_READ', 'SPOT_TRANSFER_WRITE'],
  withdraw: ['SPOT_WITHDRAW_READ', 'SPOT_WITHDRAW_WRITE'],
}

/** What MEXC reports about a key (docs/exchanges/mexc.md, 1), below `/api/v3`. */
const spotKeyInfoEndpoints: readonly Endpoint[] = [
  signedGet('/apiKeyInfo', signedWeight(1), ({ account, params, request }) => {
    const accessKey = params.required('accessKey')
    // How the real exchange rejects a key of another account is not documented.
    if (accessKey !== account.apiKey && !account.otherKeys.has(accessKey))
      throw new SpotRejection(10072, 'Api key info invalid')
    return {
      note: account.name,
      accessKey,
      createTime: new Date(account.openedAtMs).toISOString().replace('Z', '+00:00'),
      permissions: [...account.permissions].flatMap((name) => NAMES[name]).join(','),
      remainingValidity: daysLeftOf(account, request.nowMs),
      ipWhiteList: account.ipWhitelist.join(','),
      status: 'VALID',
    }
  }),
]

/**
 * What the real exchange has for a key that is bound to addresses is not established: 0 here [?].
 */
function daysLeftOf({ keyDaysLeft, ipWhitelist, openedAtMs }: Account, nowMs: number): number {
  if (keyDaysLeft !== null) return keyDaysLeft
  if (ipWhitelist.length > 0) return 0
  return Math.max(0, UNBOUND_DAYS - Math.floor((nowMs - openedAtMs) / DAY_MS))
}

/** What a client reads of coins and fees before it trades on MEXC spot, below `/api/v3`. */
const spotCoinEndpoints: readonly Endpoint[] = [
  // Signed, although it says nothing about the account: ccxt loads no markets without it once
  // keys are set.
  signedGet('/capital/config/getall', signedWeight(10), ({ venue }) =>
    coinsOf(venue).map(toCoinView),
  ),
  signedGet('/tradeFee', signedWeight(20), tradeFee),
]

function toCoinView(coin: string): Json {
  return {
    coin,
    name: coin,
    networkList: [
      {
        coin,
        depositDesc: null,
        depositEnable: false,
        minConfirm: '0',
        name: coin,
        network: coin,
        netWork: coin,
        withdrawEnable: false,
        withdrawFee: '0',
        withdrawIntegerMultiple: null,
        withdrawMax: '0',
        withdrawMin: '0',
        sameAddress: false,
        contract: '',
      },
    ],
  }
}

function tradeFee({ venue, params, request }: SignedCall): Json {
  const rules = spotMarketNamed(venue, params.required('symbol')).spot.mx
  return {
    data: { makerCommission: rules?.makerFeeRate ?? 0, takerCommission: rules?.takerFeeRate ?? 0 },
    code: 0,
    msg: 'success',
    timestamp: request.nowMs,
  }
}

const BATCH_MAX = 20

/** Orders of MEXC spot that come together, below `/api/v3`. */
const spotBatchEndpoints: readonly Endpoint[] = [
  signedPost('/batchOrders', [twicePerSecond, ...orderWeight(10)], (call) =>
    entriesOf(call).map((entry) => placeOneOfMany(call, entry)),
  ),
]

/** The list is the text of a JSON array in one parameter. @throws SpotRejection */
function entriesOf({ params }: SignedCall): readonly ReceivedJson[] {
  const entries = readList(params.required('batchOrders'))
  if (entries === undefined || entries.length === 0 || entries.length > BATCH_MAX)
    throw spotProblems.malformed('batchOrders')
  return entries
}

function readList(text: string): readonly ReceivedJson[] | undefined {
  try {
    const value = readJson(text)
    return isList(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A rejected entry says so; the response as a whole is still a success. */
function placeOneOfMany(call: SignedCall, entry: ReceivedJson): Json {
  if (!isObject(entry)) throw spotProblems.malformed('batchOrders')
  const params = new Params(new Map(Object.entries(entry)), spotProblems)
  const newClientOrderId = params.text('newClientOrderId')
  try {
    const order = placeOrder({ ...call, params })
    const ids = { symbol: order.market.name, orderId: orderIdOf(order) }
    return { ...ids, newClientOrderId: order.clientId, orderListId: -1 }
  } catch (error) {
    const rejection = error instanceof OrderRejectedError ? toSpotRejection(error) : error
    if (!(rejection instanceof SpotRejection)) throw error
    return { newClientOrderId, msg: rejection.message, code: rejection.code }
  }
}

const MONTH_MS = 31 * 86_400_000

/** Account endpoints of MEXC spot, below `/api/v3`. */
const spotAccountEndpoints: readonly Endpoint[] = [
  signedGet('/account', [twicePerSecond, ...signedWeight(10)], ({ account }) => ({
    makerCommission: null,
    takerCommission: null,
    canTrade: account.permissions.has('trade'),
    canWithdraw: account.permissions.has('withdraw'),
    canDeposit: true,
    updateTime: null,
    accountType: 'SPOT',
    balances: account.spot.list().map(({ coin, free, locked }) => ({
      asset: coin,
      free: free.toFixed(),
      locked: locked.toFixed(),
      available: free.toFixed(),
    })),
    permissions: ['SPOT'],
  })),
  signedGet('/myTrades', signedWeight(10), ({ venue, account, params, request }) => {
    const market = spotMarketNamed(venue, params.required('symbol'))
    const orderId = params.text('orderId')
    const fromMs = params.integer('startTime') ?? request.nowMs - MONTH_MS
    const toMs = params.integer('endTime') ?? request.nowMs
    return venue.spot
      .tradesOf(account.name)
      .filter(({ order }) => order.market === market)
      .filter(({ order }) => orderId === undefined || orderId === `${ORDER_ID_PREFIX}${order.id}`)
      .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
      .slice(0, limitOf({ params, usual: 100, max: 100 }))
      .map(toTradeView)
  }),
]

/** All of MEXC spot, below `/api/v3`. */
export const mexcSpotEndpoints: readonly Endpoint[] = [
  ...spotMarketEndpoints,
  ...spotTapeEndpoints,
  ...spotCoinEndpoints,
  ...spotOrderEndpoints,
  ...spotBatchEndpoints,
  ...spotAccountEndpoints,
  ...spotKeyInfoEndpoints,
  ...listenKeyEndpoints,
]
