import { readPolicy } from './rules.ts'

const FUTURES = '/api/v1/private'
const COIN_LIST = '/api/v3/capital/config/getall'

/** Market data that MEXC gives only to callers with a key (docs/exchanges/mexc.md, 8). */
export const mexcSignedMarketData: ReadonlySet<string> = new Set([COIN_LIST])

/**
 * What clients may do on MEXC (docs/exchanges/mexc.md, 3, 4 and 8). What is not here is never done:
 * withdrawals, transfers, deposit addresses, conversions, sub-accounts, keys, broker and margin
 * calls, and listen keys, which let their holder read the private stream.
 */
export const mexcPolicy = readPolicy([
  [
    'market',
    'GET',
    '/api/v3/(ping|time|exchangeInfo|defaultSymbols|depth|trades|aggTrades|historicalTrades|klines|avgPrice)',
  ],
  ['market', 'GET', '/api/v3/ticker/(24hr|price|bookTicker)'],
  ['market', 'GET', '/api/v1/contract/**'],
  // Facts about coins: no balance, no address. Libraries ask for it when they start with a key.
  ['market', 'GET', COIN_LIST],

  [
    'account',
    'GET',
    '/api/v3/(account|order|openOrders|allOrders|myTrades|tradeFee|selfSymbols|kyc/status|uid|mxDeduct/enable)',
  ],
  ['account', 'GET', `${FUTURES}/(account|position|order|planorder|stoporder|trackorder)/**`],
  ['account', 'POST', `${FUTURES}/order/(batch_query_with_external|open_order_total_count)`],
  ['account', 'POST', `${FUTURES}/account/asset/analysis/**`],

  ['cancel', 'DELETE', '/api/v3/(order|openOrders)'],
  [
    'cancel',
    'POST',
    `${FUTURES}/order/(cancel|cancel_with_external|batch_cancel_with_external|cancel_all)`,
  ],
  ['cancel', 'POST', `${FUTURES}/(planorder|stoporder|trackorder)/(cancel|cancel_all)`],

  ['order', 'POST', '/api/v3/(order|order/test|batchOrders)'],
  [
    'order',
    'POST',
    `${FUTURES}/order/(create|submit|submit_batch|change_limit_order|chase_limit_order)`,
  ],
  ['order', 'POST', `${FUTURES}/(planorder|stoporder|trackorder)/**`],
  // Settings of the account that orders depend on.
  [
    'order',
    'POST',
    `${FUTURES}/position/(change_leverage|change_margin|change_position_mode|change_auto_add_im|reverse|close_all)`,
  ],
  ['order', 'POST', `${FUTURES}/account/change_risk_level`],
  ['order', 'POST', '/api/v3/mxDeduct/enable'],
  ['order', 'POST', '/api/v3/strategy/**'],
  ['order', 'DELETE', '/api/v3/strategy/**'],
])
