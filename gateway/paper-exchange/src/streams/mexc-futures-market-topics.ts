import type { Json } from '../exact-numbers.ts'
import type { Market } from '../market.ts'
import { toTickerView } from '../mexc/futures-market.ts'
import { contractMarkets, contractName, contractRulesOf, toVol } from '../mexc/futures-views.ts'
import type { DepthLevel } from '../prices.ts'
import type { Venue } from '../venue.ts'
import { BookWatch, eachSecond, type Topic } from './topic.ts'

interface MarketSubscription {
  readonly venue: Venue
  /** `ticker`, `depth`, `depth.full` … */
  readonly name: string
  readonly param: Readonly<Record<string, string>>
  push(data: Json): void
}

const LEVELS = 200
const FULL_LEVELS: ReadonlySet<number> = new Set([5, 10, 20])

/** What everyone may see of a contract; undefined: no such channel or contract. */
export function futuresMarketTopic(subscription: MarketSubscription): Topic | undefined {
  const { venue, name, param, push } = subscription
  if (name === 'tickers')
    return eachSecond(venue, () =>
      push(contractMarkets(venue).map((market) => toTickerView(venue, market))),
    )
  const market = contractMarkets(venue).find((one) => contractName(one) === param.symbol)
  if (market === undefined) return undefined
  const price = (field: string) => () =>
    push({ symbol: contractName(market), [field]: venue.prices.of(market).last })
  switch (name) {
    case 'ticker':
      return eachSecond(venue, () => push(toTickerView(venue, market)), market)
    case 'deal':
      return deals(subscription, market)
    case 'depth':
      return depth(subscription, market)
    case 'depth.full':
      return fullDepth(subscription, market)
    case 'funding.rate':
      return eachSecond(venue, () =>
        push({ symbol: contractName(market), rate: 0.0001, nextSettleTime: 0 }),
      )
    case 'index.price':
    case 'fair.price':
      return eachSecond(venue, price('price'), market)
    default:
      return undefined
  }
}

/** `T` 1 a buy, 2 a sale by the taker. */
function deals({ push }: MarketSubscription, market: Market): Topic {
  return {
    changed({ kind, order, note }) {
      if (kind !== 'contract' || order.market !== market || note.trade === undefined) return
      const { price, size, isMaker, atMs, id } = note.trade
      const T = (order.side === 'buy') === isMaker ? 2 : 1
      push([{ p: price, v: toVol(market, size), T, O: 3, M: 2, t: atMs, i: id }])
    },
  }
}

/**
 * Increments whose versions follow each other, to the version of REST; also when nothing has
 * changed: a client may wait for a number of them (ccxt for 25).
 */
function depth({ venue, push }: MarketSubscription, market: Market): Topic {
  const { priceTick: tick } = contractRulesOf(market)
  const watch = new BookWatch(venue, market, { tick, limit: LEVELS })
  watch.whole()
  return {
    beat() {
      const { bids, asks } = watch.changesOrBest()
      push({
        asks: asks.map(toTriple(market)),
        bids: bids.map(toTriple(market)),
        version: venue.bookVersion.current,
      })
    },
  }
}

function fullDepth({ venue, param, push }: MarketSubscription, market: Market): Topic | undefined {
  const limit = Number(param.limit ?? 20)
  if (!FULL_LEVELS.has(limit)) return undefined
  const { priceTick: tick } = contractRulesOf(market)
  const watch = new BookWatch(venue, market, { tick, limit })
  const send = () => {
    const { bids, asks } = watch.whole()
    const version = venue.bookVersion.current
    push({ asks: asks.map(toTriple(market)), bids: bids.map(toTriple(market)), version })
  }
  return eachSecond(venue, send, market)
}

/**
 * The middle number is contracts by live samples, a number of orders by the page [?] (streams.md,
 * 3).
 */
const toTriple =
  (market: Market) =>
  ({ price, size }: DepthLevel): Json => [price, toVol(market, size), 1]
