import { type Candle, candlesOf, stepOf } from '../candles.ts'
import { decimal } from '../decimal.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, PublicCall } from '../family.ts'
import type { Market } from '../market.ts'
import { perTwoSeconds } from './futures-market.ts'
import { futuresProblems } from './futures-rejection.ts'
import { contractName, contractNamed, toVol } from './futures-views.ts'

const CANDLES_MAX = 2_000
const DEALS_MAX = 100
const FUNDING_CYCLE_MS = 8 * 3_600_000
const FUNDING_RATE = decimal('0.0001')

const stepsMs: Readonly<Record<string, number>> = {
  Min1: stepOf(1, 'min'),
  Min5: stepOf(5, 'min'),
  Min15: stepOf(15, 'min'),
  Min30: stepOf(30, 'min'),
  Min60: stepOf(1, 'hour'),
  Hour4: stepOf(4, 'hour'),
  Hour8: stepOf(8, 'hour'),
  Day1: stepOf(1, 'day'),
  Week1: stepOf(1, 'week'),
  Month1: stepOf(1, 'month'),
}

/**
 * What was traded on MEXC futures, at which prices, and what holding costs; public, below
 * `/api/v1`.
 */
export const futuresTapeEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/contract/deals/:symbol',
    access: 'public',
    limit: perTwoSeconds(20),
    respond: deals,
  },
  {
    method: 'GET',
    path: '/contract/kline/:symbol',
    access: 'public',
    limit: perTwoSeconds(20),
    respond: klines,
  },
  {
    method: 'GET',
    path: '/contract/funding_rate/:symbol',
    access: 'public',
    limit: perTwoSeconds(20),
    respond: (call) => ({
      symbol: contractName(pathMarket(call)),
      fundingRate: FUNDING_RATE,
      maxFundingRate: FUNDING_RATE.times(20),
      minFundingRate: FUNDING_RATE.times(-20),
      collectCycle: 8,
      nextSettleTime: (Math.floor(call.request.nowMs / FUNDING_CYCLE_MS) + 1) * FUNDING_CYCLE_MS,
      timestamp: call.request.nowMs,
    }),
  },
  pricePoint('/contract/index_price/:symbol', 'indexPrice'),
  pricePoint('/contract/fair_price/:symbol', 'fairPrice'),
]

const pathMarket = ({ venue, request }: PublicCall): Market =>
  contractNamed(venue, request.pathParams.symbol ?? '')

function pricePoint(path: string, name: string): Endpoint {
  return {
    method: 'GET',
    path,
    access: 'public',
    limit: perTwoSeconds(20),
    respond(call) {
      const market = pathMarket(call)
      return {
        symbol: contractName(market),
        [name]: call.venue.prices.of(market).last,
        timestamp: call.request.nowMs,
      }
    },
  }
}

/**
 * `T` 1 a buy, 2 a sale by the taker; `O` 3 no statement on the position; `M` 2 not with itself.
 */
function deals(call: PublicCall): Json {
  const market = pathMarket(call)
  const limit = Math.min(call.params.integer('limit') ?? DEALS_MAX, DEALS_MAX)
  return call.venue.contracts
    .tape(market)
    .slice(0, limit)
    .map(({ price, size, order, isMaker, atMs }) => ({
      p: price,
      v: toVol(market, size),
      T: (order.side === 'buy') === isMaker ? 2 : 1,
      O: 3,
      M: 2,
      t: atMs,
    }))
}

function klines(call: PublicCall): Json {
  const { params, request, venue } = call
  const stepMs = stepsMs[params.text('interval') ?? 'Min1']
  if (stepMs === undefined) throw futuresProblems.malformed('interval')
  const [fromSeconds, toSeconds] = [params.integer('start'), params.integer('end')]
  const candles = candlesOf(venue.prices, pathMarket(call), {
    stepMs,
    fromMs: fromSeconds === undefined ? undefined : fromSeconds * 1_000,
    toMs: toSeconds === undefined ? request.nowMs : toSeconds * 1_000,
    limit: CANDLES_MAX,
  })
  const column = (value: (candle: Candle) => Json) => candles.map(value)
  return {
    time: column(({ openedAtMs }) => openedAtMs / 1_000),
    open: column(({ open }) => open),
    close: column(({ close }) => close),
    high: column(({ high }) => high),
    low: column(({ low }) => low),
    vol: column(() => 1),
    amount: column(({ close }) => close),
  }
}
