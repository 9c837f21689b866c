import type { LightMyRequestResponse } from 'fastify'
import type { ClientLimitChanges, ExchangeCode } from 'schema'
import { expect } from 'vitest'
import type { TestApp } from '../app.ts'
import { type Bot, botOf } from './bot-of.ts'
import { ownErrorOf } from './call.ts'
import { eventually } from './eventually.ts'
import { shareKeys } from './share-keys.ts'

export interface OrderPost {
  readonly url: string
  readonly body?: unknown
}

/** An order of a long position of BTC. With a price a limit order, otherwise a market order. */
export interface Wish {
  readonly does: 'open' | 'close'
  /** BTC. */
  readonly size: string
  readonly price?: string | undefined
}

/** A kind of account, and how a bot orders in it. */
export interface Way {
  readonly exchange: ExchangeCode
  readonly market: 'spot' | 'futures'
  readonly isUnified?: boolean
  /** Sets the position mode, which is another one at first. */
  readonly mode?: OrderPost
  readonly order: (wish: Wish) => OrderPost
}

const MIX = '/bg/api/v2/mix'
const UNIFIED = '/bg/api/v3'
export const MEXC = '/mx/api/v1/private'
/** How a call names the contract on Bitget. */
export const SCOPE = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' } as const
const CONTRACTS_PER_BTC = 10_000
export const toContracts = (size: string) => Math.round(Number(size) * CONTRACTS_PER_BTC)

const typeOf = (price: string | undefined) =>
  price === undefined ? { orderType: 'market' } : { orderType: 'limit', force: 'gtc', price }
const v3TypeOf = (price: string | undefined) =>
  price === undefined ? { orderType: 'market' } : { orderType: 'limit', price }
const tradeOf = ({ does }: Wish) => (does === 'open' ? 'buy' : 'sell')

/** The mode of an account that a bot sets with its permission `settings`. */
const hedge = {
  classic: {
    url: `${MIX}/account/set-position-mode`,
    body: { productType: 'USDT-FUTURES', posMode: 'hedge_mode' },
  },
  unified: { url: `${UNIFIED}/account/set-hold-mode`, body: { holdMode: 'hedge_mode' } },
} as const
const oneWayOfMexc = { url: `${MEXC}/position/change_position_mode`, body: { positionMode: 2 } }

const contractOf = ({ size, price }: Wish) => ({
  ...{ symbol: 'BTC_USDT', vol: toContracts(size), openType: 2, leverage: 10 },
  ...(price === undefined ? { type: 5 } : { type: 1, price }),
})
const mexcOf = (symbol: string, { does, size, price }: Wish): Record<string, string> => ({
  ...{ symbol, side: does === 'open' ? 'BUY' : 'SELL', quantity: size },
  ...(price === undefined ? { type: 'MARKET' } : { type: 'LIMIT', price }),
})
const bitgetSpotOf = (wish: Wish) => ({
  ...{ symbol: 'BTCUSDT', side: tradeOf(wish), size: wish.size },
  ...typeOf(wish.price),
})
const mixOf = ({ size, price }: Wish) => ({
  ...{ ...SCOPE, marginMode: 'crossed', size },
  ...typeOf(price),
})
const unifiedOf = (category: string, wish: Wish) => ({
  ...{ category, symbol: 'BTCUSDT', side: tradeOf(wish), qty: wish.size },
  ...v3TypeOf(wish.price),
})

const to =
  (exchange: ExchangeCode, market: Way['market'], url: string) =>
  (body: (wish: Wish) => object, more: Pick<Way, 'isUnified' | 'mode'> = {}): Way => ({
    ...{ exchange, market, ...more },
    order: (wish) => ({ url, body: body(wish) }),
  })
const SUBMIT = '/api/mx/v1/submitOrder'
const toMexc = to('mx', 'futures', `${MEXC}/order/create`)
const toMix = to('bg', 'futures', `${MIX}/order/place-order`)
const toUnified = to('bg', 'futures', `${UNIFIED}/trade/place-order`)
const toUnifiedSpot = to('bg', 'spot', `${UNIFIED}/trade/place-order`)
const toDocumentedSpot = to('bg', 'spot', '/api/bg/v1/spot/trade/place-order')
const isClose = ({ does }: Wish) => does === 'close'
const unified = { isUnified: true }
const oneWay = { mode: oneWayOfMexc }

/** Every kind of account. An entry has a price, so that its size is one of the base coin. */
export const WAYS = {
  'MEXC spot': {
    ...{ exchange: 'mx', market: 'spot' },
    order: (wish) => ({ url: `/mx/api/v3/order?${new URLSearchParams(mexcOf('BTCUSDT', wish))}` }),
  },
  'MEXC spot, documented': to('mx', 'spot', SUBMIT)((wish) => mexcOf('BTCUSDT', wish)),
  'Bitget spot': to('bg', 'spot', '/bg/api/v2/spot/trade/place-order')(bitgetSpotOf),
  'Bitget spot, unified': toUnifiedSpot((wish) => unifiedOf('SPOT', wish), unified),
  'Bitget spot, documented': toDocumentedSpot(bitgetSpotOf, unified),
  'MEXC futures, hedge': toMexc((wish) => ({ ...contractOf(wish), side: isClose(wish) ? 4 : 1 })),
  'MEXC futures, one-way': toMexc(
    (wish) => ({
      ...{ ...contractOf(wish), positionMode: 2 },
      ...(isClose(wish) ? { side: 3, reduceOnly: true } : { side: 1 }),
    }),
    oneWay,
  ),
  'MEXC futures, documented': to(
    'mx',
    'futures',
    SUBMIT,
  )(
    (wish) => ({
      ...{ ...mexcOf('BTC_USDT', wish), openType: 'cross', leverage: 10 },
      ...(isClose(wish) ? { reduceOnly: true } : {}),
    }),
    oneWay,
  ),
  'Bitget futures, one-way': toMix((wish) => ({
    ...{ ...mixOf(wish), side: tradeOf(wish), reduceOnly: isClose(wish) ? 'YES' : 'NO' },
  })),
  'Bitget futures, hedge': toMix(
    (wish) => ({ ...mixOf(wish), side: 'buy', tradeSide: wish.does }),
    { mode: hedge.classic },
  ),
  'Bitget futures, documented': to(
    'bg',
    'futures',
    '/api/bg/v1/futures/trade/place-order',
  )((wish) => ({ ...mixOf(wish), side: tradeOf(wish), reduceOnly: isClose(wish) })),
  'Bitget futures, unified, one-way': toUnified(
    (wish) => ({
      ...{ ...unifiedOf('USDT-FUTURES', wish), reduceOnly: isClose(wish) ? 'yes' : 'no' },
    }),
    unified,
  ),
  'Bitget futures, unified, hedge': toUnified(
    (wish) => ({ ...unifiedOf('USDT-FUTURES', wish), posSide: 'long' }),
    { ...unified, mode: hedge.unified },
  ),
} satisfies Readonly<Record<string, Way>>
export type WayName = keyof typeof WAYS
export const wayNames = Object.keys(WAYS) as WayName[]

/** What a client with these limits may trade is nothing but what it opened. */
export const NOTHING: ClientLimitChanges = { symbols: ['ETH*'], maxDayValue: '1' }
/** Reached by an entry at once. */
export const AT_ONCE = '60100'
const PERMISSIONS = ['market', 'account', 'trade', 'settings'] as const

/**
 * A bot that trades BTC in one kind of account, in front of an exchange that behaves.
 * @param owner whose account it has too; absent: it has one of its own
 */
export async function traderOf(t: TestApp, name: WayName, owner?: Bot) {
  const way: Way = WAYS[name]
  t.paper.faults.clear()
  t.paper.setPrice('BTCUSDT', '60000')
  const { isUnified: unified = false, exchange, mode } = way
  const bot = await botOf(t, { unified, permissions: PERMISSIONS })
  const post = ({ url, body }: OrderPost, more: Record<string, string> = {}) =>
    bot.post(url, body === undefined ? '' : JSON.stringify(body), more)
  const done = async (call: OrderPost) => {
    const response = await post(call)
    expectDone(response)
    return response
  }
  if (owner !== undefined) await shareKeys(owner, bot)
  else if (mode !== undefined) await done(mode)
  return {
    ...bot,
    way,
    send: post,
    done,
    /** An order that opens, or closes, so much. */
    entry: (size: string, price?: string) => way.order({ does: 'open', size, price }),
    sale: (size: string, price?: string) => way.order({ does: 'close', size, price }),
    /** What orders before the limits are worth is counted once their rules were read. */
    expectDayValue: (dayValue: string) =>
      eventually(async () => {
        const { usage } = await bot.admin('GET', `/client-credentials/${bot.id}/limits`)
        expect(usage).toMatchObject({ dayValue })
      }),
    /** Places an order that the exchange takes. */
    place: (does: Wish['does'], size: string, price?: string) =>
      done(way.order({ does, size, price })),
    /** Places an order that its limits refuse, and of which nothing reaches the exchange. */
    async expectRefused(call: OrderPost, code: string | RegExp = /^LIMIT_/) {
      const before = bot.paper.orders(exchange).length
      const response = await post(call)
      const what = `${call.url} ${JSON.stringify(call.body)}`
      const error = ownErrorOf(response.json())
      expect(error, what).toMatchObject({
        code: typeof code === 'string' ? code : expect.stringMatching(code),
        outcome: 'not-sent',
      })
      expect(bot.paper.orders(exchange)).toHaveLength(before)
      return error
    },
    /** What all of its orders bought and did not sell again, BTC. */
    net: (): number => netOf(bot.orders(exchange)),
  }
}
export type Trader = Awaited<ReturnType<typeof traderOf>>

/** One that holds 0.01, and may by default do nothing but close it. */
export async function holderOf(t: TestApp, name: WayName, limits: ClientLimitChanges = NOTHING) {
  const bot = await traderOf(t, name)
  await bot.place('open', '0.01', AT_ONCE)
  await bot.limit(limits)
  return bot
}

/** Cancels an order; on MEXC spot all of the symbol's. */
export async function cancelOf(bot: Trader, orderId: string): Promise<LightMyRequestResponse> {
  const { app, headers, way } = bot
  const isSpot = way.market === 'spot'
  if (way.exchange === 'mx') {
    if (!isSpot) return bot.send({ url: `${MEXC}/order/cancel`, body: [orderId] })
    const url = '/mx/api/v3/openOrders?symbol=BTCUSDT'
    return app.inject({ method: 'DELETE', url, headers })
  }
  if (way.isUnified === true)
    return bot.send({ url: `${UNIFIED}/trade/cancel-order`, body: { orderId } })
  return bot.send({
    url: `/bg/api/v2/${isSpot ? 'spot/trade' : 'mix/order'}/cancel-order`,
    body: isSpot ? { symbol: 'BTCUSDT', orderId } : { ...SCOPE, orderId },
  })
}

function netOf(orders: ReturnType<Trader['orders']>): number {
  const sum = orders.reduce(
    (net, { side, filledSize }) => net + (side === 'buy' ? 1 : -1) * Number(filledSize),
    0,
  )
  // Never a negative zero.
  return Number(sum.toFixed(8)) + 0
}

/** The exchange has taken the order, by any of its forms of response. */
export function expectDone(response: LightMyRequestResponse): void {
  expect(response.statusCode, response.body).toBe(200)
  const { code = 0, success = true } = response.json()
  expect([['00000', 0].includes(code), success], response.body).toEqual([true, true])
}

/** An order that waits for a price and then closes a part of a long position. */
export interface Ending {
  readonly kind: 'stop' | 'profit'
  readonly size: string
  readonly trigger: string
}

/** How a bot sets a stop loss and a take profit in an account of futures, and takes one away. */
export interface EndingWay {
  readonly place: (bot: Trader, ending: Ending) => Promise<OrderPost>
  readonly cancel: (id: string, kind: Ending['kind']) => OrderPost
}

const ofMexc: EndingWay = {
  place: async (bot, { kind, size, trigger }) => ({
    url: `${MEXC}/stoporder/place`,
    body: {
      ...{ positionId: await positionIdOf(bot), vol: toContracts(size), volType: 1 },
      [kind === 'stop' ? 'stopLossPrice' : 'takeProfitPrice']: Number(trigger),
    },
  }),
  cancel: (id) => ({ url: `${MEXC}/stoporder/cancel`, body: [{ stopPlanOrderId: id }] }),
}
const ofClassic = (holdSide: string): EndingWay => ({
  place: async (_bot, { kind, size, trigger }) => ({
    url: `${MIX}/order/place-tpsl-order`,
    body: {
      ...{ ...SCOPE, planType: kind === 'stop' ? 'loss_plan' : 'profit_plan', holdSide, size },
      ...{ triggerPrice: trigger, triggerType: 'fill_price' },
    },
  }),
  cancel: (orderId, kind) => ({
    url: `${MIX}/order/cancel-plan-order`,
    body: {
      ...{ ...SCOPE, orderIdList: [{ orderId }] },
      planType: kind === 'stop' ? 'loss_plan' : 'profit_plan',
    },
  }),
})
const ofUnified: EndingWay = {
  place: async (_bot, { kind, size, trigger }) => ({
    url: `${UNIFIED}/trade/place-strategy-order`,
    body: {
      ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', type: 'tpsl', tpslMode: 'partial' },
      ...{ qty: size, posSide: 'long', [kind === 'stop' ? 'stopLoss' : 'takeProfit']: trigger },
    },
  }),
  cancel: (orderId) => ({ url: `${UNIFIED}/trade/cancel-strategy-order`, body: { orderId } }),
}

export const ENDINGS = {
  'MEXC futures, hedge': ofMexc,
  'MEXC futures, one-way': ofMexc,
  'Bitget futures, one-way': ofClassic('buy'),
  'Bitget futures, hedge': ofClassic('long'),
  'Bitget futures, unified, one-way': ofUnified,
  'Bitget futures, unified, hedge': ofUnified,
} satisfies Partial<Readonly<Record<WayName, EndingWay>>>
export type EndingName = keyof typeof ENDINGS
export const endingNames = Object.keys(ENDINGS) as EndingName[]

/** The id of the one position of an account at MEXC, with all of its digits. */
export async function positionIdOf(bot: Trader): Promise<string> {
  const { body } = await bot.get(`${MEXC}/position/open_positions?symbol=BTC_USDT`)
  return /"positionId":(\d+)/.exec(body)?.[1] ?? '0'
}

/** The id in the response to an order, with all of its digits. */
export const idIn = ({ body }: LightMyRequestResponse): string =>
  /"(?:data|orderId)":"?(\d+)/.exec(body)?.[1] ?? ''
