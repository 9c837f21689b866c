import { type Position, positionsOf } from '../account.ts'
import { assetsOf } from '../bitget/unified-account.ts'
import { toStrategyView } from '../bitget/unified-strategies.ts'
import {
  isContractOrder,
  toFillView,
  toOrderView,
  toPositionView,
  type UnifiedOrder,
} from '../bitget/unified-views.ts'
import type { ContractTrade } from '../contract-order.ts'
import { type Json, type JsonObject, ZERO } from '../exact-numbers.ts'
import { fieldNames } from '../exchange-request.ts'
import type { ChangeNote } from '../order-shelf.ts'
import type { SpotTrade } from '../spot-book.ts'
import { unifiedMarketTopic } from './bitget-market-topics.ts'
import {
  type BitgetTopics,
  coinPicture,
  heldPicture,
  marginPicture,
  Picture,
  type PrivateBitgetSubscription,
  type Topic,
} from './topic.ts'

type Trade = SpotTrade | ContractTrade

const PRIVATE = fieldNames('account order fill fast-fill position strategy-order adl-notification')
/** How often account and positions come by themselves, since 2025-08-26 (streams.md, 5). */
const REPEATED_MS = 5_000

/** The topics of Bitget v3 (streams.md, 5 and 6). */
export const unifiedTopics: BitgetTopics = {
  isPrivate: (topic) => PRIVATE.has(topic),
  publicTopic: (subscription) => unifiedMarketTopic(subscription),
  privateTopic(subscription) {
    if (subscription.arg.instType !== 'UTA') return undefined
    switch (subscription.arg.topic) {
      case 'order':
        return orders(subscription)
      case 'fill':
        return fills(subscription, (trade) => ({
          ...toFillView(trade),
          clientOid: trade.order.clientId,
          execTime: `${trade.atMs}`,
          execLinkId: trade.id,
        }))
      case 'fast-fill':
        return fills(subscription, toFastFill)
      case 'position':
        return positions(subscription)
      case 'account':
        return repeated(subscription, {
          picture: () => new Map([...coinPicture(subscription.account), ...margin(subscription)]),
          send: () => subscription.push('snapshot', [toAccountPush(subscription)]),
        })
      case 'strategy-order':
        return strategies(subscription)
      // Nobody's position is reduced for another one's sake here: the topic is silent.
      case 'adl-notification':
        return {}
      default:
        return undefined
    }
  },
}

const margin = ({ account }: PrivateBitgetSubscription) =>
  [...marginPicture(account)].map(([coin, text]) => [`${coin} margin`, text] as const)

/** First `live`, then `new` once the order is in the book without a trade (streams.md, 5). */
function orders({ account, push }: PrivateBitgetSubscription): Topic {
  const entering = new Set<UnifiedOrder>()
  const send = (order: UnifiedOrder, note: ChangeNote<Trade>) =>
    push('snapshot', [toOrderPush(order, note)])
  return {
    changed(change) {
      const { kind, order, note } = change
      if (order.account !== account || kind === 'plan' || kind === 'trigger') return
      if (note.isNew === true) entering.add(order)
      else entering.delete(order)
      send(order, note)
    },
    settled() {
      for (const order of entering) if (order.status === 'open') send(order, {})
      entering.clear()
    },
  }
}

function fills({ account, push }: PrivateBitgetSubscription, view: (trade: Trade) => Json): Topic {
  return {
    changed({ order, note }) {
      if (order.account === account && note.trade !== undefined)
        push('snapshot', [view(note.trade)])
    },
  }
}

function strategies({ account, push }: PrivateBitgetSubscription): Topic {
  return {
    changed({ kind, order }) {
      if (kind === 'trigger' && order.account === account) push('snapshot', [toStrategyView(order)])
    },
  }
}

/**
 * What comes when it is another one than before, and every 5 s. Of several states in one moment
 * only the newest comes (streams.md, 5).
 */
function repeated(
  { venue }: PrivateBitgetSubscription,
  { picture, send }: { picture: () => ReadonlyMap<string, string>; send: () => void },
): Topic {
  const known = new Picture()
  let sentAtMs = venue.nowMs()
  const sendNow = () => {
    sentAtMs = venue.nowMs()
    send()
  }
  return {
    start() {
      known.differences(picture())
      sendNow()
    },
    settled() {
      if (known.differences(picture()).length > 0) sendNow()
    },
    beat() {
      if (venue.nowMs() - sentAtMs >= REPEATED_MS) sendNow()
    },
  }
}

/**
 * One that has ended is pushed once, with size 0; what an order means to close is not news
 * (streams.md, 5).
 */
function positions(subscription: PrivateBitgetSubscription): Topic {
  const { account, push } = subscription
  const known = new Map<string, Position>()
  return repeated(subscription, {
    picture: () => heldPicture(account),
    send: () => {
      const held = positionsOf(account)
      const ended = [...known.values()].filter((position) => !held.includes(position))
      known.clear()
      for (const position of held) known.set(position.id, position)
      push('snapshot', [
        // First, for the other side of the same symbol may have begun.
        ...ended.map((position) => toPositionPush(subscription, position, 'ended')),
        ...held.map((position) => toPositionPush(subscription, position, 'opening')),
      ])
    },
  })
}

function toOrderPush(order: UnifiedOrder, { isNew, requestId }: ChangeNote<Trade>): Json {
  const view = toOrderView(order, 'list')
  return {
    ...view,
    // In the lists the words are in capitals.
    category: isContractOrder(order) ? 'usdt-futures' : 'spot',
    orderStatus: isNew === true ? 'live' : (view.orderStatus ?? ''),
    ...(isContractOrder(order)
      ? {
          holdSide: order.slot === 'net' ? (order.side === 'buy' ? 'long' : 'short') : order.slot,
          marginCoin: order.market.quote,
          leverage: `${order.leverage}`,
          totalProfit: order.profit.toFixed(),
        }
      : {}),
    delegateType: 'normal',
    requestId,
  }
}

function toFastFill({ id, order, price, size, isMaker, atMs }: Trade): Json {
  return {
    execId: id,
    orderId: order.id,
    clientOid: order.clientId,
    category: isContractOrder(order) ? 'USDT-FUTURES' : 'SPOT',
    symbol: order.market.name,
    side: order.side,
    execPrice: price.toFixed(),
    execQty: size.toFixed(),
    tradeScope: isMaker ? 'maker' : 'taker',
    execTime: `${atMs}`,
    updatedTime: `${atMs}`,
  }
}

/** Without a category: the symbol and the margin coin name it (streams.md, 5). */
function toPositionPush(
  { venue, account }: PrivateBitgetSubscription,
  position: Position,
  positionStatus: 'opening' | 'ended',
): Json {
  const { category, total, liquidationPrice, positionBalance, ...view } =
    positionStatus === 'ended' ? ENDED : toPositionView(venue, account, position)
  return {
    symbol: position.market.name,
    marginCoin: position.market.quote,
    posSide: position.side,
    holdMode: position.slot === 'net' ? 'one_way_mode' : 'hedge_mode',
    marginMode: position.marginMode === 'cross' ? 'crossed' : 'isolated',
    leverage: `${position.leverage}`,
    curRealisedPnl: position.realised.toFixed(),
    createdTime: `${position.createdAtMs}`,
    updatedTime: `${position.updatedAtMs}`,
    ...view,
    size: total ?? '0',
    marginSize: positionBalance ?? '0',
    liqPrice: liquidationPrice ?? '',
    totalFundingFee: '0',
    cashDividend: '0',
    positionStatus,
  }
}

const ENDED: JsonObject = {
  available: '0',
  frozen: '0',
  avgPrice: '0',
  unrealisedPnl: '0',
}

function toAccountPush({ venue, account }: PrivateBitgetSubscription): Json {
  const { accountEquity, unrealisedPnl, assets } = assetsOf(venue, account)
  return {
    // In REST the last letter is small.
    unrealisedPnL: unrealisedPnl,
    totalEquity: accountEquity,
    effEquity: accountEquity,
    positionMgnRatio: '0',
    mmr: '0',
    imr: '0',
    mgnRatio: '0',
    bonus: ZERO.toFixed(),
    coin: assets.map((coin) => ({ ...coin, borrow: '0', debts: '0' })),
  }
}
