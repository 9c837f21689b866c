import { BigNumber } from 'bignumber.js'
import fc from 'fast-check'
import type { BgFuturesOrder, BgSpotOrder, MxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import type { PaperOrder } from '../paper-exchange/src/control.ts'
import { accountApiOf } from '../src/exchanges/bitget/account-api.ts'
import { futuresOrderOf, spotOrderOf } from '../src/exchanges/bitget/documented.ts'
import type { CallEffect, OrderEffect } from '../src/exchanges/call-effect.ts'
import { effectsOf } from '../src/exchanges/call-effects.ts'
import type { UpstreamCall } from '../src/exchanges/exchange.ts'
import { submitOrderCall as contractOrderCall } from '../src/exchanges/mexc-futures/documented.ts'
import { submitOrderCall as coinOrderCall } from '../src/exchanges/mexc-spot/documented.ts'
import { inTexts } from '../src/exchanges/protocol/decimals.ts'
import { adapters } from '../src/exchanges/registry.ts'
import { bitgetKeys, mexcKeys, paperExchange } from './paper-exchange/paper.ts'
import { callOf } from './support/exchange-orders.ts'
import { IS_LONG } from './support/is-long.ts'

// What the gateway reads in a call is compared with what the paper exchange makes of the same
// bytes, which has readers of its own.

/** The size of the position that an account starts with. */
const HELD = '0.01'
const balances = { USDT: '10000000', BTC: '1000' }
const unifiedKeys = { apiKey: 'bg_unified', apiSecret: 'unified-secret', passphrase: 'unifiedPass' }

type Mode = 'one-way' | 'hedge'
type Held = 'long' | 'short' | 'nothing'
type Where = 'mexc' | 'classic' | 'unified'

/** A paper exchange whose clock moves on with every call, so that no rate limit is met. */
async function effectsWorld() {
  let nowMs = Date.UTC(2026, 10, 1)
  const futuresBalances = { USDT: '10000000' }
  const paper = await paperExchange({
    accounts: [
      { exchange: 'mx', name: 'mexc', ...mexcKeys, balances, futuresBalances },
      { exchange: 'bg', name: 'classic', ...bitgetKeys, balances, futuresBalances },
      { exchange: 'bg', name: 'unified', unified: true, ...unifiedKeys, balances },
    ],
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
  })
  async function send(call: UpstreamCall): Promise<string> {
    nowMs += 3_000
    const isUnified = call.family === 'bitget' && call.path.startsWith('/api/v3/')
    const keys = call.family !== 'bitget' ? mexcKeys : isUnified ? unifiedKeys : bitgetKeys
    const { method, url, headers, body } = adapters.of(call.family).sign(call, keys, nowMs)
    const response = await fetch(`${paper.url}${url}`, { method, headers, body })
    return response.text()
  }
  async function must(line: string, body: object): Promise<void> {
    const text = await send(json(line, JSON.stringify(body)))
    expect(text).toMatch(/"code":(?:"00000"|0)[,}]/)
  }
  return {
    paper,
    send,
    /** Everything anew, in a position mode and with a position. */
    async start(where: Where, mode: Mode, held: Held) {
      paper.reset()
      await setMode(must, where, mode)
      if (held !== 'nothing') await openPosition(must, where, mode, held)
    },
    position(name: Where) {
      const account = paper.accounts.list().find((each) => each.name === name)
      return (account?.positions ?? []).map(({ side, size }) => ({ side, size }))
    },
  }
}

const CREATE = 'POST /api/v1/private/order/create'
const MIX = 'POST /api/v2/mix/order/place-order'
const UNIFIED = 'POST /api/v3/trade/place-order'

async function setMode(
  must: (line: string, body: object) => Promise<void>,
  where: Where,
  mode: Mode,
): Promise<void> {
  const posMode = mode === 'hedge' ? 'hedge_mode' : 'one_way_mode'
  if (where === 'mexc')
    await must('POST /api/v1/private/position/change_position_mode', {
      positionMode: mode === 'hedge' ? 1 : 2,
    })
  if (where === 'classic')
    await must('POST /api/v2/mix/account/set-position-mode', {
      productType: 'USDT-FUTURES',
      posMode,
    })
  if (where === 'unified') await must('POST /api/v3/account/set-hold-mode', { holdMode: posMode })
}

async function openPosition(
  must: (line: string, body: object) => Promise<void>,
  where: Where,
  mode: Mode,
  held: 'long' | 'short',
): Promise<void> {
  const side = held === 'long' ? 'buy' : 'sell'
  const isHedge = mode === 'hedge'
  if (where === 'mexc')
    await must(CREATE, {
      ...{ symbol: 'BTC_USDT', side: held === 'long' ? 1 : 3, type: 5, vol: 100 },
      ...{ openType: 2, leverage: 10 },
    })
  if (where === 'classic')
    await must(MIX, {
      ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' },
      ...{ marginMode: 'crossed', side, orderType: 'market', size: HELD },
      ...(isHedge ? { tradeSide: 'open' } : {}),
    })
  if (where === 'unified')
    await must(UNIFIED, {
      ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', side, orderType: 'market', qty: HELD },
      ...(isHedge ? { posSide: held } : {}),
    })
}

/** The call of a line with exactly this body. */
function json(line: string, body: string): UpstreamCall {
  return { ...callOf(line, {}), body }
}

const RUNS = { numRuns: IS_LONG ? 200 : 80 }
/** The base coin in a contract of MEXC. */
const CONTRACT_SIZES: Readonly<Record<string, string>> = { BTCUSDT: '0.0001', ETHUSDT: '0.01' }
const PRICES: Readonly<Record<string, string>> = { BTCUSDT: '60000', ETHUSDT: '2500' }
// Values as JSON: most of them good, some as no honest bot writes them.
const oneOf = (...texts: string[]) => fc.constantFrom(...texts)
const mostly = (good: string[], odd: string[]) =>
  fc.oneof({ weight: 12, arbitrary: oneOf(...good) }, { weight: 1, arbitrary: oneOf(...odd) })
const maybe = (arbitrary: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 3, arbitrary }, { weight: 1, arbitrary: fc.constant(undefined) })
const seldom = (arbitrary: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 1, arbitrary }, { weight: 3, arbitrary: fc.constant(undefined) })
const ODD_AMOUNTS = [
  ...['"-1"', '1e0', '"1e1"', '"01"', '""', 'null', '"0"', '[1]', '" 1"', '"+1"', 'true'],
]
const sizes = mostly(['"0.002"', '0.01', '"0.0200"', '"0.05"', '0.1'], ODD_AMOUNTS)
const vols = mostly(['1', '"20"', '100', '"150.0"', '1000'], ODD_AMOUNTS)
const prices = mostly(['59000', '"60000.0"', '"61000.5"', '58000.0'], ODD_AMOUNTS)

type Fields = Readonly<Record<string, fc.Arbitrary<string | undefined>>>

const bitgetFields: Fields = {
  symbol: mostly(['"BTCUSDT"'], ['"ETHUSDT"', '"btcusdt"']),
  side: mostly(['"buy"', '"sell"'], ['"Buy"', '"both"']),
  orderType: mostly(['"limit"', '"market"'], ['"LIMIT"', '"stop"']),
  price: maybe(prices),
}
const spotFields: Fields = {
  symbol: mostly(['"BTCUSDT"'], ['"btcusdt"', '"ETHUSDT"', '""']),
  side: oneOf('"BUY"', '"SELL"'),
  type: oneOf('"LIMIT"', '"MARKET"', '"LIMIT_MAKER"', '"IMMEDIATE_OR_CANCEL"', '"FILL_OR_KILL"'),
  quantity: maybe(sizes),
  quoteOrderQty: seldom(oneOf('"600"', '"1200.5"', '""')),
  price: maybe(prices),
}
const contractFields: Fields = {
  symbol: mostly(['"BTC_USDT"'], ['"ETH_USDT"', '"BTCUSDT"']),
  side: mostly(['1', '"2"', '3', '4'], ['5', '"a"', '"1 "']),
  type: mostly(['1', '5', '3', '"1"', '6'], ['7', '""']),
  vol: vols,
  price: maybe(prices),
  openType: oneOf('2'),
  leverage: maybe(mostly(['10', '"20"'], ['"5x"'])),
  reduceOnly: seldom(oneOf('true', 'false', '"true"')),
}
const classicFields: Fields = {
  ...bitgetFields,
  productType: oneOf('"USDT-FUTURES"'),
  marginCoin: oneOf('"USDT"'),
  marginMode: oneOf('"crossed"'),
  size: sizes,
  force: maybe(oneOf('"gtc"', '"GTC"', '"ioc"', '"post_only"')),
  tradeSide: maybe(oneOf('"open"', '"close"', '"Close"')),
  reduceOnly: maybe(oneOf('"YES"', '"YES"', '"NO"', '"yes"')),
}
const classicSpotFields: Fields = {
  ...bitgetFields,
  size: mostly(['"0.01"', '"600"', '0.02'], ODD_AMOUNTS),
  force: oneOf('"gtc"', '"ioc"'),
}
const unifiedFields: Fields = {
  ...bitgetFields,
  category: mostly(['"USDT-FUTURES"', '"SPOT"'], ['"MARGIN"', '"usdt-futures"']),
  qty: sizes,
  timeInForce: maybe(oneOf('"gtc"', '"fok"')),
  posSide: maybe(oneOf('"long"', '"short"')),
  reduceOnly: maybe(oneOf('"yes"', '"yes"', '"no"', '"YES"')),
}

/** What somebody may do to a call that the gateway would read as a smaller one. */
interface Trick {
  readonly kind: 'none' | 'before' | 'after' | 'capital' | 'query'
  readonly pick: number
}
const tricks = fc.record<Trick>({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Trick['kind']>('none') },
    { weight: 2, arbitrary: fc.constantFrom<Trick['kind']>('before', 'after', 'capital', 'query') },
  ),
  pick: fc.nat({ max: 20 }),
})

function written(
  line: string,
  fields: Readonly<Record<string, string | undefined>>,
  { kind, pick }: Trick,
): UpstreamCall {
  const members = Object.entries(fields).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text] as const],
  )
  const [name = 'x', text = '1'] = members[pick % members.length] ?? []
  const more = text.replace(/\d/, '9')
  const all =
    kind === 'before'
      ? [[name, more] as const, ...members]
      : kind === 'after'
        ? [...members, [name, more] as const]
        : kind === 'capital'
          ? [...members, [name.toUpperCase(), more] as const]
          : members
  const query = kind === 'query' ? `${name}=${encodeURIComponent(plain(more))}` : ''
  const call = json(line, '')
  if (call.family === 'mexc-spot') {
    const pairs = all.map(([key, value]) => `${key}=${encodeURIComponent(plain(value))}`).join('&')
    // The query has the order, or a form, to which the query adds a field.
    return kind === 'query'
      ? { ...call, query, body: pairs }
      : { ...call, query: pairs, body: null }
  }
  const members2 = all.map(([key, value]) => `"${key}":${value}`)
  return { ...call, query, body: `{${members2.join(',')}}` }
}

const plain = (text: string) => text.replaceAll('"', '')

const isOrder = (effect: CallEffect): effect is OrderEffect => effect.kind === 'order'

/** Bitget makes a close as large as the position that it closes. */
function isShrunk({ exchange, market, size }: PaperOrder, asked: BigNumber): boolean {
  return exchange === 'bg' && market === 'futures' && size === HELD && asked.gt(HELD)
}

/** Whether an order that was booked is the one that an effect describes. */
function isAsRead(order: PaperOrder, effect: OrderEffect): boolean {
  const unit =
    order.exchange === 'mx' && order.market === 'futures' ? CONTRACT_SIZES[order.symbol] : '1'
  const size = effect.size === undefined ? undefined : new BigNumber(effect.size).times(unit ?? 0)
  const isSameSize =
    effect.quoteSize === undefined
      ? size !== undefined && (size.eq(order.size) || isShrunk(order, size))
      : new BigNumber(order.size).times(PRICES[order.symbol] ?? 0).lte(effect.quoteSize)
  const isSamePrice =
    effect.price === undefined
      ? order.price === null
      : new BigNumber(effect.price).eq(order.price ?? -1)
  return (
    effect.market === order.market &&
    effect.symbol?.replace('_', '') === order.symbol &&
    (effect.side === undefined || effect.side === order.side) &&
    (effect.rests || order.status !== 'open') &&
    isSameSize &&
    isSamePrice
  )
}

const sizeOf = (position: readonly { readonly size: string }[]) =>
  position.reduce((sum, { size }) => sum.plus(size), new BigNumber(0))

test.each<[line: string, where: Where, fields: Fields]>([
  ['POST /api/v3/order', 'mexc', spotFields],
  [CREATE, 'mexc', contractFields],
  ['POST /api/v2/spot/trade/place-order', 'classic', classicSpotFields],
  [MIX, 'classic', classicFields],
  [UNIFIED, 'unified', unifiedFields],
])(
  '%s: what is booked is what was read, and what was read as reducing reduces',
  async (line, where, fields) => {
    const { paper, send, start, position } = await effectsWorld()
    const seen = { booked: 0, reducing: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.record(fields),
        tricks,
        fc.constantFrom<Mode>('one-way', 'hedge'),
        fc.constantFrom<Held>('long', 'short', 'long', 'short', 'nothing'),
        async (given, trick, mode, held) => {
          await start(where, mode, held)
          const before = { orders: paper.orders().length, position: position(where) }
          const call = written(line, given, trick)
          const effects = effectsOf(call)
          await send(call)
          const [booked, ...others] = paper.orders().slice(before.orders)
          if (booked === undefined || !effects.every(isOrder)) return
          seen.booked += 1
          const [effect] = effects
          expect(others).toEqual([])
          expect(effects).toHaveLength(1)
          if (effect === undefined || !isAsRead(booked, effect)) expect(booked).toEqual(effect)
          if (effect?.reduces !== true || effect.market === 'spot') return
          seen.reducing += 1
          for (const price of ['57000', '62500']) {
            paper.setPrice('BTCUSDT', price)
            paper.tick()
          }
          const after = position(where)
          const { side } = before.position[0] ?? {}
          expect(after.every((each) => each.side === side)).toBe(true)
          expect(sizeOf(after).lte(sizeOf(before.position))).toBe(true)
        },
      ),
      RUNS,
    )
    // Otherwise nothing was compared.
    expect(seen.booked).toBeGreaterThan(RUNS.numRuns / 20)
    if (fields.category !== undefined || fields.marginMode !== undefined || line === CREATE)
      expect(seen.reducing).toBeGreaterThan(0)
  },
)

const side = fc.constantFrom<'buy' | 'sell'>('buy', 'sell')
const orderType = fc.constantFrom<'limit' | 'market'>('limit', 'market')
const amount = fc.constantFrom<string | number>('0.01', 0.02, '0.050')
const price = fc.constantFrom<string | number>('59000.5', 61_000)

test('every order of the documented routes is read as it is booked', async () => {
  const { paper, send, start } = await effectsWorld()
  const mexc = fc
    .tuple(side, orderType, amount, price, fc.boolean())
    .map(([direction, type, quantity, limit, isFutures]): [Where, UpstreamCall] => {
      const asked = {
        ...{ side: direction.toUpperCase(), type: type.toUpperCase(), quantity, price: limit },
        symbol: isFutures ? 'BTC_USDT' : 'BTCUSDT',
      } as unknown as MxSubmitOrder // The words are those of the schema.
      const order = inTexts(asked, ['quantity', 'price'])
      return [
        'mexc',
        (isFutures ? contractOrderCall(order, '100', 'sl-1') : coinOrderCall(order, 'sl-1')).call,
      ]
    })
  const kinds = fc.constantFrom<'classic' | 'unified'>('classic', 'unified')
  const bitget = fc
    .tuple(side, orderType, amount, price, fc.boolean(), kinds)
    .map(([direction, type, size, limit, isFutures, kind]): [Where, UpstreamCall] => {
      const common = { symbol: 'BTCUSDT', side: direction, orderType: type, price: limit }
      const isMarketBuy = type === 'market' && direction === 'buy'
      const spot: BgSpotOrder = { ...common, size: isMarketBuy ? 600 : size }
      const futures: BgFuturesOrder = { ...common, marginMode: 'crossed', size }
      const api = accountApiOf(kind)
      const { call } = isFutures
        ? api.placeFuturesOrder(futuresOrderOf(futures), 'sl-1')
        : api.placeSpotOrder(spotOrderOf(spot), 'sl-1')
      return [kind, call]
    })
  await fc.assert(
    fc.asyncProperty(fc.oneof(mexc, bitget), async ([where, call]) => {
      await start(where, 'one-way', 'nothing')
      const effects = effectsOf(call)
      const response = await send(call)
      const booked = paper.orders()
      expect(booked, response).toHaveLength(1)
      const pairs = booked.map((order, index) => [order, effects[index]] as const)
      for (const [order, effect] of pairs)
        if (effect === undefined || !isOrder(effect) || !isAsRead(order, effect))
          expect(order).toEqual(effect)
    }),
    RUNS,
  )
})

test('every order of a batch is read as it is booked', async () => {
  const { paper, send, start } = await effectsWorld()
  const mixEntry = '{"side":"buy","orderType":"limit","force":"gtc","price":"59000","size":SIZE}'
  const spotEntry = `{"symbol":"BTCUSDT",${mixEntry.slice(1)}`
  const mexcEntry =
    '{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","price":"59000","quantity":SIZE}'
  const unifiedEntry =
    '{"category":"SPOT","symbol":"BTCUSDT","side":"buy","orderType":"limit","price":"59000","qty":SIZE}'
  const contractEntry =
    '{"symbol":"BTC_USDT","side":1,"type":1,"price":"59000","vol":SIZE,"openType":2}'
  const product =
    '"symbol":"BTCUSDT","productType":"USDT-FUTURES","marginCoin":"USDT","marginMode":"crossed"'
  type Write = (list: string) => Partial<UpstreamCall>
  const inBody: Write = (body) => ({ body })
  const batches: [Where, line: string, entry: string, write: Write][] = [
    [
      ...(['mexc', 'POST /api/v3/batchOrders', mexcEntry] as const),
      (list) => ({ body: null, query: `batchOrders=${encodeURIComponent(list)}` }),
    ],
    ['mexc', 'POST /api/v1/private/order/submit_batch', contractEntry, inBody],
    [
      ...(['classic', 'POST /api/v2/spot/trade/batch-orders', spotEntry] as const),
      (list) => ({ body: `{"orderList":${list}}` }),
    ],
    [
      ...(['classic', 'POST /api/v2/mix/order/batch-place-order', mixEntry] as const),
      (list) => ({ body: `{${product},"orderList":${list}}` }),
    ],
    ['unified', 'POST /api/v3/trade/place-batch', unifiedEntry, inBody],
  ]
  let compared = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...batches),
      fc.array(mostly(['"0.01"', '"3"', '5'], ODD_AMOUNTS), { minLength: 1, maxLength: 4 }),
      async ([where, line, entry, write], amounts) => {
        await start(where, 'one-way', 'nothing')
        const list = `[${amounts.map((each) => entry.replace('SIZE', each))}]`
        const call = { ...json(line, ''), ...write(list) }
        const effects = effectsOf(call)
        await send(call)
        const readable = effects.filter(isOrder)
        const booked = paper.orders()
        if (readable.length < effects.length) return
        compared += booked.length
        expect(booked.length).toBeLessThanOrEqual(readable.length)
        for (const order of booked)
          expect(readable.some((effect) => isAsRead(order, effect))).toBe(true)
      },
    ),
    RUNS,
  )
  expect(compared).toBeGreaterThan(RUNS.numRuns / 5)
})
