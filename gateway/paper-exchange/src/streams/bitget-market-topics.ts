import { crc32 } from 'node:zlib'
import {
  contractMarkets,
  contractRulesOf,
  isOfProduct,
  toTickerView as toMixTicker,
} from '../bitget/mix-views.ts'
import { spotMarkets, spotRulesOf, toTickerView as toSpotTicker } from '../bitget/spot-views.ts'
import { takerSideOf } from '../bitget/tape.ts'
import { toTicker as toUnifiedTicker } from '../bitget/unified-market.ts'
import type { ContractTrade } from '../contract-order.ts'
import type { Json } from '../exact-numbers.ts'
import { type Market, spotTick } from '../market.ts'
import type { DepthLevel } from '../prices.ts'
import type { SpotTrade } from '../spot-book.ts'
import { type BitgetSubscription, BookWatch, eachSecond, type Topic } from './topic.ts'

type Trade = SpotTrade | ContractTrade

/** How v2 or v3 words what everyone may see. */
interface Words {
  readonly trades: string
  readonly ticker: (market: Market) => Json
  readonly trade: (trade: Trade) => Json
  readonly book: (levels: Levels, place: BookPlace) => Json
}

interface Levels {
  readonly bids: readonly DepthLevel[]
  readonly asks: readonly DepthLevel[]
}

interface BookPlace {
  readonly seq: bigint
  /** Of the push before; zero in a snapshot. */
  readonly pseq: bigint
  /** The whole book after the push. */
  readonly whole: Levels
  readonly ts: string
}

interface Named {
  readonly market: Market
  readonly isSpot: boolean
}

/** Undefined: there is no such public channel or symbol. */
export function classicMarketTopic(subscription: BitgetSubscription): Topic | undefined {
  const { arg, venue } = subscription
  const named = marketOf(subscription, arg.instId)
  if (named === undefined || arg.channel === undefined) return undefined
  return marketTopic(subscription, named, {
    trades: 'trade',
    ticker: (market) => {
      const view = named.isSpot ? toSpotTicker(venue, market) : toMixTicker(venue, market)
      return { ...view, instId: market.name, open24h: view.open24h ?? view.open }
    },
    trade: (trade) => ({
      ts: `${trade.atMs}`,
      price: trade.price.toFixed(),
      size: trade.size.toFixed(),
      side: takerSideOf(trade),
      tradeId: trade.id,
    }),
    book: ({ bids, asks }, { seq, whole, ts }) => ({
      asks: asks.map(toTexts),
      bids: bids.map(toTexts),
      checksum: checksumOf(whole),
      seq,
      ts,
    }),
  })
}

/** As in v3, which has other names and no checksum since 2026-05-19 (streams.md, 5). */
export function unifiedMarketTopic(subscription: BitgetSubscription): Topic | undefined {
  const { arg, venue } = subscription
  const named = marketOf(subscription, arg.symbol)
  if (named === undefined || arg.topic === undefined) return undefined
  return marketTopic(subscription, named, {
    trades: 'publicTrade',
    ticker: (market) => toUnifiedTicker(venue, market, named.isSpot ? 'SPOT' : 'USDT-FUTURES'),
    trade: (trade) => ({
      i: trade.id,
      L: trade.id,
      p: trade.price.toFixed(),
      v: trade.size.toFixed(),
      S: takerSideOf(trade),
      T: `${trade.atMs}`,
    }),
    book: ({ bids, asks }, { seq, pseq, ts }) => ({
      a: asks.map(toTexts),
      b: bids.map(toTexts),
      pseq,
      seq,
      ts,
    }),
  })
}

function marketOf({ arg, venue }: BitgetSubscription, name = ''): Named | undefined {
  const instType = (arg.instType ?? '').toUpperCase()
  const isSpot = instType === 'SPOT'
  const product = instType === 'USDT-FUTURES' ? instType : undefined
  const markets = isSpot
    ? spotMarkets(venue)
    : contractMarkets(venue).filter((market) => product && isOfProduct(market, product))
  const market = markets.find((candidate) => candidate.name === name)
  return market && { market, isSpot }
}

const SNAPSHOTS: Readonly<Record<string, number>> = {
  books1: 1,
  books5: 5,
  books15: 15,
  books50: 50,
}
const BOOK_LEVELS = 200
const TRADES_AT_START = 50

function marketTopic(
  subscription: BitgetSubscription,
  named: Named,
  words: Words,
): Topic | undefined {
  const { arg, push, venue } = subscription
  const name = arg.channel ?? arg.topic ?? ''
  const { market } = named
  if (name === 'ticker')
    return eachSecond(venue, () => push('snapshot', [words.ticker(market)]), market)
  if (name === 'books')
    return book(subscription, named, { words, limit: BOOK_LEVELS, isWhole: false })
  const limit = SNAPSHOTS[name]
  if (limit !== undefined) return book(subscription, named, { words, limit, isWhole: true })
  if (name !== words.trades) return undefined
  const { spot, contracts } = venue
  return {
    start() {
      const tape: readonly Trade[] = named.isSpot ? spot.tape(market) : contracts.tape(market)
      if (tape.length > 0) push('snapshot', tape.slice(0, TRADES_AT_START).map(words.trade))
    },
    changed({ kind, order, note }) {
      if (kind !== (named.isSpot ? 'spot' : 'contract') || note.trade === undefined) return
      if ('market' in order && order.market === market) push('update', [words.trade(note.trade)])
    },
  }
}

// Above 2^53, as the real ones are: a reader has to keep the digits.
let sequence = 1_300_000_000_000_000_000n

function book(
  { push, venue }: BitgetSubscription,
  { market, isSpot }: Named,
  { words, limit, isWhole }: { words: Words; limit: number; isWhole: boolean },
): Topic {
  const tick = isSpot ? spotTick(spotRulesOf(market)) : contractRulesOf(market).priceTick
  const watch = new BookWatch(venue, market, { tick, limit })
  let last = 0n
  const send = (action: 'snapshot' | 'update', levels: Levels) => {
    sequence += 7n
    const pseq = action === 'snapshot' ? 0n : last
    const place = { seq: sequence, pseq, whole: watch.whole(), ts: `${venue.nowMs()}` }
    last = sequence
    push(action, [words.book(levels, place)])
  }
  return {
    start: () => send('snapshot', watch.whole()),
    beat() {
      const changes = watch.changes()
      if (changes.bids.length + changes.asks.length === 0) return
      if (isWhole) send('snapshot', watch.whole())
      else send('update', changes)
    },
  }
}

const toTexts = ({ price, size }: DepthLevel): Json => [price.toFixed(), size.toFixed()]

const CHECKED_LEVELS = 25

/** Signed, over the text of the first levels: a bid, an ask, the next bid … (streams.md, 4). */
function checksumOf({ bids, asks }: Levels): number {
  const texts = Array.from({ length: CHECKED_LEVELS }, (_, index) => [bids[index], asks[index]])
    .flat()
    .flatMap((level) => (level === undefined ? [] : [level.price.toFixed(), level.size.toFixed()]))
  return crc32(texts.join(':')) | 0
}
