import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPaperExchange, type PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import {
  type Answer,
  balances,
  bitget,
  bitgetKeys,
  bitgetUnified,
  type Fields,
  mexcFutures,
  mexcKeys,
  mexcSpot,
} from './paper.ts'
import { bitgetLogin, dial, mexcLogin, type StreamClient } from './stream-client.ts'

/** What a bot knows of its account: by id, by coin, by position. */
interface Picture {
  orders: Record<string, string>
  fills: Record<string, string>
  money: Record<string, string>
  positions: Record<string, string>
}

interface Act {
  readonly kind: (typeof KINDS)[number]
  readonly side: 'buy' | 'sell'
  /** The price of an order is so many thousandths from the last one. */
  readonly offset: number
  readonly size: number
  readonly pick: number
}

/** One of the four APIs: how an order is placed and changed, pushed and read. */
interface Api {
  readonly name: string
  readonly account: object
  subscribe(paper: PaperExchange): Promise<StreamClient>
  place(paper: PaperExchange, order: Order): Promise<Answer>
  cancel(paper: PaperExchange, order: Placed): Promise<Answer>
  amend?(paper: PaperExchange, order: Placed, price: string): Promise<Answer>
  pushed(frames: readonly Frame[]): Picture
  read(paper: PaperExchange): Promise<Picture>
}

// biome-ignore lint/suspicious/noExplicitAny: four exchanges' frames
type Frame = any

interface Order extends Pick<Act, 'side'> {
  readonly isSpot: boolean
  readonly isMarket: boolean
  readonly price: string
  readonly lots: number
}

interface Placed extends Order {
  readonly id: string
}

const empty = (): Picture => ({ orders: {}, fills: {}, money: {}, positions: {} })
/** A double is exact enough for eight decimals of such amounts. */
const total = ({ available, frozen }: Frame) => (Number(available) + Number(frozen)).toFixed(8)
const rows = (value: Frame): Frame[] => value ?? []
const number = (value: unknown) => `${Number(value)}`
const json = async (answer: Promise<Answer>) => (await answer).json
const product = { productType: 'USDT-FUTURES' }
const partly = { ...product, status: 'partially_filled' }

const classic: Api = {
  name: 'Bitget v2',
  account: { exchange: 'bg', name: 'bot', ...bitgetKeys, balances },
  async subscribe(paper) {
    const client = await dial(paper, '/v2/ws/private')
    client.send(bitgetLogin())
    await client.next({ event: 'login', code: 0 })
    const spot = { instType: 'SPOT', instId: 'default' }
    const futures = { instType: 'USDT-FUTURES', instId: 'default' }
    client.send({
      op: 'subscribe',
      args: [
        ...['orders', 'fill'].map((channel) => ({ ...spot, channel })),
        ...['orders', 'fill', 'positions'].map((channel) => ({ ...futures, channel })),
        { instType: 'SPOT', channel: 'account', coin: 'default' },
        { instType: 'USDT-FUTURES', channel: 'account', coin: 'default' },
      ],
    })
    return client
  },
  place(paper, { isSpot, isMarket, side, price, lots }) {
    const size = (lots / 1_000).toFixed(3)
    const shared = { symbol: 'BTCUSDT', side, orderType: isMarket ? 'market' : 'limit' }
    const limit: Fields = isMarket ? {} : { price, force: 'gtc' }
    if (!isSpot)
      return bitget(paper, 'POST', '/mix/order/place-order', {
        ...{ ...shared, ...limit, ...product, marginCoin: 'USDT', marginMode: 'crossed', size },
      })
    const value = isMarket && side === 'buy' ? `${lots * 60}` : size
    return bitget(paper, 'POST', '/spot/trade/place-order', { ...shared, ...limit, size: value })
  },
  cancel: (paper, { isSpot, id: orderId }) =>
    isSpot
      ? bitget(paper, 'POST', '/spot/trade/cancel-order', { symbol: 'BTCUSDT', orderId })
      : bitget(paper, 'POST', '/mix/order/cancel-order', {
          ...{ ...product, symbol: 'BTCUSDT', orderId },
        }),
  pushed(frames) {
    const picture = empty()
    for (const { arg, data } of frames.filter(({ action }) => action !== undefined)) {
      for (const row of rows(data)) {
        if (arg.channel === 'orders')
          picture.orders[row.orderId] = `${row.status} ${number(row.accBaseVolume)}`
        if (arg.channel === 'fill') picture.fills[row.tradeId] = number(row.baseVolume ?? row.size)
        // What an order holds is not pushed: only what is there in all.
        if (arg.channel === 'account' && arg.instType === 'SPOT')
          picture.money[row.coin] = total(row)
      }
      if (arg.channel === 'positions')
        picture.positions = Object.fromEntries(
          rows(data).map(({ instId, total, holdSide }) => [instId, `${holdSide} ${total}`]),
        )
    }
    return picture
  },
  async read(paper) {
    const get = (path: string, fields: Fields = {}) => json(bitget(paper, 'GET', path, fields))
    const all = [
      ...rows((await get('/spot/trade/unfilled-orders')).data),
      ...rows((await get('/spot/trade/history-orders')).data),
      // Without a status it leaves out what has traded in part.
      ...rows((await get('/mix/order/orders-pending', product)).data.entrustedList),
      ...rows((await get('/mix/order/orders-pending', partly)).data.entrustedList),
      ...rows((await get('/mix/order/orders-history', product)).data.entrustedList),
    ]
    const trades = [
      ...rows((await get('/spot/trade/fills', { symbol: 'BTCUSDT' })).data),
      ...rows((await get('/mix/order/fills', product)).data.fillList),
    ]
    const coins = rows((await get('/spot/account/assets', { assetType: 'all' })).data)
    const held = rows(
      (await get('/mix/position/all-position', { ...product, marginCoin: 'USDT' })).data,
    )
    return {
      orders: Object.fromEntries(
        all.map((row) => [row.orderId, `${row.status} ${number(row.baseVolume)}`]),
      ),
      fills: Object.fromEntries(
        trades.map((row) => [row.tradeId, number(row.baseVolume ?? row.size)]),
      ),
      money: Object.fromEntries(coins.map((row) => [row.coin, total(row)])),
      positions: Object.fromEntries(
        held.map((row) => [row.symbol, `${row.holdSide} ${row.total}`]),
      ),
    }
  },
}

const categories = ['SPOT', 'USDT-FUTURES'] as const

const unified: Api = {
  name: 'Bitget v3',
  account: { exchange: 'bg', name: 'bot', unified: true, ...bitgetKeys, balances },
  async subscribe(paper) {
    const client = await dial(paper, '/v3/ws/private')
    client.send(bitgetLogin())
    await client.next({ event: 'login', code: 0 })
    const topics = ['order', 'fill', 'position', 'account']
    client.send({ op: 'subscribe', args: topics.map((topic) => ({ instType: 'UTA', topic })) })
    return client
  },
  place: (paper, { isSpot, isMarket, side, price, lots }) =>
    bitgetUnified(paper, 'POST', '/trade/place-order', {
      ...{ category: isSpot ? 'SPOT' : 'USDT-FUTURES', symbol: 'BTCUSDT', side },
      ...(isMarket ? { orderType: 'market' } : { orderType: 'limit', price, timeInForce: 'gtc' }),
      qty: isSpot && isMarket && side === 'buy' ? `${lots * 60}` : (lots / 1_000).toFixed(3),
    }),
  cancel: (paper, { id: orderId }) =>
    bitgetUnified(paper, 'POST', '/trade/cancel-order', { orderId }),
  amend: (paper, { id: orderId, isSpot }, price) =>
    bitgetUnified(paper, 'POST', '/trade/modify-order', {
      ...{ orderId, price, category: isSpot ? 'SPOT' : 'USDT-FUTURES', requestId: `to-${price}` },
    }),
  pushed(frames) {
    const picture = empty()
    for (const { arg, data } of frames.filter(({ action }) => action !== undefined)) {
      for (const row of rows(data)) {
        if (arg.topic === 'order')
          picture.orders[row.orderId] =
            `${row.orderStatus} ${number(row.cumExecQty)} ${number(row.price)}`
        if (arg.topic === 'fill') picture.fills[row.execId] = number(row.execQty)
        if (arg.topic === 'account')
          picture.money = Object.fromEntries(
            rows(row.coin).map((coin) => [coin.coin, `${coin.available} ${coin.locked}`]),
          )
        if (arg.topic === 'position' && row.positionStatus === 'ended')
          delete picture.positions[row.symbol]
        else if (arg.topic === 'position')
          picture.positions[row.symbol] = `${row.posSide} ${row.size}`
      }
    }
    return picture
  },
  async read(paper) {
    const get = (path: string, fields: Fields = {}) =>
      json(bitgetUnified(paper, 'GET', path, fields))
    const lists = await Promise.all([
      get('/trade/unfilled-orders'),
      ...categories.map((category) => get('/trade/history-orders', { category })),
    ])
    const trades = await get('/trade/fills')
    const held = await get('/position/current-position', { category: 'USDT-FUTURES' })
    const { assets } = (await get('/account/assets')).data
    return {
      orders: Object.fromEntries(
        lists
          .flatMap(({ data }) => rows(data.list))
          .map((row) => [
            row.orderId,
            `${row.orderStatus} ${number(row.cumExecQty)} ${number(row.price)}`,
          ]),
      ),
      fills: Object.fromEntries(
        rows(trades.data.list).map((row) => [row.execId, number(row.execQty)]),
      ),
      money: Object.fromEntries(
        rows(assets).map((row) => [row.coin, `${row.available} ${row.locked}`]),
      ),
      positions: Object.fromEntries(
        rows(held.data.list).map((row) => [row.symbol, `${row.posSide} ${row.total}`]),
      ),
    }
  },
}

const spotStatus: Record<string, number> = {
  NEW: 1,
  FILLED: 2,
  PARTIALLY_FILLED: 3,
  CANCELED: 4,
  PARTIALLY_CANCELED: 5,
}
const privateChannels = ['orders', 'deals', 'account'].map(
  (name) => `spot@private.${name}.v3.api.pb`,
)

const spot: Api = {
  name: 'MEXC spot',
  account: { exchange: 'mx', name: 'bot', ...mexcKeys, balances },
  async subscribe(paper) {
    const { listenKey } = await json(mexcSpot(paper, 'POST', '/userDataStream'))
    const client = await dial(paper, `/ws?listenKey=${listenKey}`)
    client.send({ method: 'SUBSCRIPTION', params: privateChannels })
    await client.next({ id: 0, code: 0, msg: privateChannels.join(',') })
    return client
  },
  place: (paper, { isMarket, side, price, lots }) =>
    mexcSpot(paper, 'POST', '/order', {
      ...{ symbol: 'BTCUSDT', side: side.toUpperCase(), quantity: (lots / 1_000).toFixed(3) },
      ...(isMarket ? { type: 'MARKET' } : { type: 'LIMIT', price }),
    }),
  cancel: (paper, { id: orderId }) =>
    mexcSpot(paper, 'DELETE', '/order', { symbol: 'BTCUSDT', orderId }),
  pushed(frames) {
    const picture = empty()
    for (const { privateOrders, privateDeals, privateAccount } of frames) {
      if (privateOrders !== undefined)
        picture.orders[privateOrders.id] =
          `${privateOrders.status} ${number(privateOrders.cumulativeQuantity)}`
      if (privateDeals !== undefined)
        picture.fills[privateDeals.tradeId] = number(privateDeals.quantity)
      if (privateAccount !== undefined)
        picture.money[privateAccount.vcoinName] =
          `${privateAccount.balanceAmount} ${privateAccount.frozenAmount}`
    }
    return picture
  },
  async read(paper) {
    const get = (path: string) => json(mexcSpot(paper, 'GET', path, { symbol: 'BTCUSDT' }))
    const all = rows(await get('/allOrders'))
    const coins = rows((await json(mexcSpot(paper, 'GET', '/account'))).balances)
    return {
      ...empty(),
      orders: Object.fromEntries(
        all.map((row) => [row.orderId, `${spotStatus[row.status]} ${number(row.executedQty)}`]),
      ),
      fills: Object.fromEntries(
        rows(await get('/myTrades')).map((row) => [row.id, number(row.qty)]),
      ),
      money: Object.fromEntries(coins.map((row) => [row.asset, `${row.free} ${row.locked}`])),
    }
  },
}

const futures: Api = {
  name: 'MEXC futures',
  account: { exchange: 'mx', name: 'bot', positionMode: 'one-way', ...mexcKeys, balances },
  async subscribe(paper) {
    const client = await dial(paper, '/edge')
    client.send(mexcLogin())
    await client.next({ channel: 'rs.login', data: 'success' })
    return client
  },
  place: (paper, { isMarket, side, price, lots }) =>
    mexcFutures(paper, 'POST', '/order/create', {
      ...{ symbol: 'BTC_USDT', vol: lots, leverage: 20, openType: 2, side: side === 'buy' ? 1 : 3 },
      ...(isMarket ? { type: 5, price: 60_000 } : { type: 1, price }),
    }),
  cancel: (paper, { id }) => mexcFutures(paper, 'POST', '/order/cancel', [id]),
  pushed(frames) {
    const picture = empty()
    for (const { channel, data } of frames) {
      if (channel === 'push.personal.order')
        picture.orders[data.orderId] = `${data.state} ${data.dealVol}`
      if (channel === 'push.personal.order.deal') picture.fills[data.id] = number(data.vol)
      if (channel === 'push.personal.asset')
        picture.money[data.currency] = `${data.availableBalance} ${data.frozenBalance}`
      if (channel === 'push.personal.position' && data.state === 3)
        delete picture.positions[data.symbol]
      else if (channel === 'push.personal.position')
        picture.positions[data.symbol] = `${data.positionType} ${data.holdVol}`
    }
    return picture
  },
  async read(paper) {
    const get = (path: string, fields: Fields = {}) => json(mexcFutures(paper, 'GET', path, fields))
    const page = { page_size: 100 }
    const all = [
      ...rows((await get('/order/list/open_orders', page)).data),
      ...rows((await get('/order/list/history_orders', page)).data),
    ]
    const trades = await get('/order/list/order_deals', { symbol: 'BTC_USDT', ...page })
    const held = await get('/position/open_positions')
    const coins = await get('/account/assets')
    return {
      orders: Object.fromEntries(all.map((row) => [row.orderId, `${row.state} ${row.dealVol}`])),
      fills: Object.fromEntries(rows(trades.data).map((row) => [row.id, number(row.vol)])),
      money: Object.fromEntries(
        rows(coins.data).map((row) => [
          row.currency,
          `${row.availableBalance} ${row.frozenBalance}`,
        ]),
      ),
      positions: Object.fromEntries(
        rows(held.data).map((row) => [row.symbol, `${row.positionType} ${row.holdVol}`]),
      ),
    }
  },
}

const KINDS = ['spot', 'futures', 'market', 'cancel', 'amend', 'price', 'tick'] as const

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    side: fc.constantFrom('buy', 'sell'),
    offset: fc.integer({ min: -20, max: 20 }),
    size: fc.integer({ min: 1, max: 9 }),
    pick: fc.nat({ max: 20 }),
  }),
  { minLength: 8, maxLength: 24 },
)

const PING: Record<string, object | string> = {
  'Bitget v2': 'ping',
  'Bitget v3': 'ping',
  'MEXC spot': { method: 'PING' },
  'MEXC futures': { method: 'ping' },
}
const isPong = (frame: Frame) =>
  frame === 'pong' || frame.msg === 'PONG' || frame.channel === 'pong'

async function act(api: Api, paper: PaperExchange, placed: Placed[], one: Act): Promise<void> {
  const { kind, side, offset, size, pick } = one
  const price = `${60_000 + offset * 60}`
  const chosen = placed[pick % Math.max(1, placed.length)]
  if (kind === 'price') paper.setPrice('BTCUSDT', price, pick % 2 === 0 ? '0.004' : undefined)
  else if (kind === 'tick') paper.tick()
  else if (kind === 'cancel') {
    if (chosen !== undefined) await api.cancel(paper, chosen)
  } else if (kind === 'amend') {
    if (chosen !== undefined) await api.amend?.(paper, chosen, price)
  } else {
    const isSpot = kind === 'spot' || (kind === 'market' && pick % 2 === 0)
    const order = { side, price, lots: size, isMarket: kind === 'market', isSpot }
    const { json: answer } = await api.place(paper, order)
    const id = answer.data?.orderId ?? answer.orderId
    if (typeof id === 'string') placed.push({ ...order, id })
  }
}

// One that is left out of the announcements, or pushed before it has ended, shows here.
test.each([classic, unified, spot, futures])(
  'whatever happens on $name, its pushes give the picture that its REST calls give',
  async (api) => {
    let monotonicMs = 0
    let orders = 0
    const paper = await createPaperExchange({
      accounts: [api.account as never],
      monotonicMs: () => {
        monotonicMs += 60_000
        return monotonicMs
      },
    })
    try {
      await fc.assert(
        fc.asyncProperty(acts, async (many) => {
          paper.reset()
          const before = await api.read(paper)
          const client = await api.subscribe(paper)
          const placed: Placed[] = []
          for (const one of many) await act(api, paper, placed, one)
          client.send(PING[api.name] ?? '')
          await expect.poll(() => client.frames.some(isPong), { interval: 2 }).toBe(true)
          const pushed = api.pushed(client.frames)
          pushed.money = { ...before.money, ...pushed.money }
          expect(pushed).toEqual(await api.read(paper))
          orders += Object.keys(pushed.orders).length
        }),
        { numRuns: 12 },
      )
    } finally {
      await paper.close()
    }
    expect(orders).toBeGreaterThan(20)
  },
)
