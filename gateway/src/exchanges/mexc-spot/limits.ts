import { type ExchangeLimit, type ExchangeLimits, readWeights } from '../limits.ts'

/**
 * Weights by the pages of 2026, most of them as one library has them (docs/exchanges/mexc.md, 3).
 * Orders and cancels count for the address and for the account. Which of the two the other signed
 * calls count for is not stated; here they are in both counts [?].
 */
const publicWeights = readWeights([
  [1, 'GET', '/api/v3/(ping|time|defaultSymbols|aggTrades|klines|avgPrice)'],
  [3, 'GET', '/api/v3/depth'],
  [5, 'GET', '/api/v3/trades'],
  [8, 'GET', '/api/v3/announcements'],
  [10, 'GET', '/api/v3/(ticker/price|ticker/bookTicker|symbol/offline)'],
  [25, 'GET', '/api/v3/(exchangeInfo|ticker/24hr)'],
])

const signedWeights = readWeights([
  [1, 'POST', '/api/v3/(order|order/test)'],
  [1, 'DELETE', '/api/v3/(order|openOrders|order/all)'],
  [1, 'GET', '/api/v3/(apiKeyInfo|selfSymbols|kyc/status|uid|mxDeduct/enable)'],
  [2, 'GET', '/api/v3/order'],
  [3, 'GET', '/api/v3/openOrders'],
  [10, 'POST', '/api/v3/batchOrders'],
  [10, 'GET', '/api/v3/(allOrders|account|myTrades|capital/config/getall)'],
  [20, 'GET', '/api/v3/(tradeFee|strategy/group|strategy/group/uid)'],
])

const SOURCE = 'docs/exchanges/mexc.md, 7'

const table: readonly ExchangeLimit[] = [
  {
    title: 'all calls, by weight',
    scope: 'ip',
    counts: 'together',
    calls: { ...publicWeights, ...signedWeights },
    max: 300,
    windowMs: 10_000,
    ...{ mark: '[2]', source: SOURCE, asOf: '2026-09-25' },
  },
  {
    title: 'signed calls, by weight',
    scope: 'uid',
    counts: 'together',
    calls: signedWeights,
    max: 500,
    windowMs: 10_000,
    ...{ mark: '[2]', source: SOURCE, asOf: '2026-09-25' },
  },
  {
    title: 'orders and cancels; batches and cancels of several by one reading [1]',
    scope: 'uid',
    counts: 'together',
    calls: readWeights([
      [1, 'POST', '/api/v3/(order|batchOrders)'],
      [1, 'DELETE', '/api/v3/(order|openOrders|order/all)'],
    ]),
    max: 12,
    windowMs: 1_000,
    ...{ mark: '[2]', source: SOURCE, asOf: '2026-05-22' },
  },
  {
    title: 'all calls, as the support wrote; it contradicts the weights',
    scope: 'uid',
    counts: 'together',
    calls: 'every',
    max: 20,
    windowMs: 1_000,
    ...{ mark: '[1]', source: SOURCE, asOf: '2026-01' },
  },
  {
    title: 'account read, batch of orders',
    scope: 'uid',
    counts: 'each',
    calls: readWeights([
      [1, 'GET', '/api/v3/account'],
      [1, 'POST', '/api/v3/batchOrders'],
    ]),
    max: 2,
    windowMs: 1_000,
    ...{ mark: '[1]', source: SOURCE, asOf: '2025-08' },
  },
]

/** The limits of MEXC spot. No header says what is left of them. */
export const mexcSpotLimits: ExchangeLimits = { table, orderCalls: ['POST /api/v3/order'] }
