import { NO_LIMITS } from 'schema'
import { expect, test, vi } from 'vitest'
import { bgMix } from '../../test/support/exchange-orders.ts'
import type { OrderEffect } from '../exchanges/call-effect.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import {
  type Closing,
  closingOf,
  closingOfSide,
  type ExitKind,
} from '../exchanges/position-part.ts'
import { Exits, type ExitsDeps, type OpenQuantity } from './exits.ts'

const effect: OrderEffect = {
  ...{ kind: 'order', market: 'futures', productType: 'USDT-FUTURES', symbol: 'BTCUSDT' },
  ...{ side: 'sell', size: '2', price: '90', reduces: true, rests: true },
  closes: closingOfSide('long'),
}
const sale: OrderEffect = { ...effect, market: 'spot', productType: undefined }
const stop: OrderEffect = { ...effect, closes: closingOfSide('long', { kind: 'stop' }) }
const of = (size: string, from = effect): OrderEffect => ({ ...from, size })
const call: UpstreamCall = {
  ...{ family: 'bitget', method: 'POST', path: '/order', query: '', body: '', signed: true },
}

const spotSale: OrderKey = {
  ...{ exchange: 'bg', family: 'bitget', market: 'spot', action: 'place', symbol: 'BTCUSDT' },
  ...{ terms: { side: 'sell', size: '8' }, closes: closingOfSide('long') },
}

/** The keys of one client. */
const alone = { accountRefOf: async () => 5, othersWithKeyOf: async () => [] }

/** Exits of client 1, which has opened some long, and asks with keys 5. */
function exitsOf(
  quantity: Partial<OpenQuantity> = {},
  more: Partial<ExitsDeps> = {},
  hasOpen: boolean | 'perhaps' = false,
) {
  const known = {
    ...{ open: '10', resting: { now: '0', stop: '0', profit: '0' }, isCertain: true },
    ...quantity,
  }
  const nothing = { ...known, open: '0' }
  const openOf = vi.fn<ExitsDeps['own']['openOf']>((...[client, exchange, keysId, place, side]) =>
    `${client} ${exchange} ${keysId} ${side}` === '1 bg 5 long' &&
    ['futures USDT-FUTURES BTCUSDT', 'spot BTCUSDT'].includes(place)
      ? known
      : nothing,
  )
  const hasOpenAt = vi.fn<ExitsDeps['own']['hasOpen']>(() => hasOpen)
  const own = { openOf, learn: async () => true, hasOpen: hasOpenAt }
  const deps = { ...{ own, keys: alone }, positionMode: async () => undefined }
  const exits = new Exits({ ...deps, ...more })
  /** How much of each effect of a call is judged by the limits; undefined: nothing. */
  async function beyond(
    id: string,
    effects: readonly OrderEffect[],
    { limits = NO_LIMITS, exchange = 'bg', from = call, order, isWaiting = true }: Asking = {},
  ) {
    const request = { id, clientRef: 1, exchange }
    const asking = { call: from, order }
    const asked = await exits.asked(request, asking, effects, limits, { isWaiting })
    const divided = exits.divide(request, asked)
    return divided.effects.map((each) =>
      divided.exits.has(each) ? undefined : each.kind === 'order' ? each.size : each.kind,
    )
  }
  /** What is asked for these effects, and which of them are exits. */
  async function asking(effects: readonly OrderEffect[], isWaiting = true) {
    const request = { id: 'p', clientRef: 1, exchange: 'bg' } as const
    const of = { call: { ...call }, order: undefined }
    const asked = await exits.asked(request, of, effects, NO_LIMITS, { isWaiting })
    return { asked, exits: () => exits.divide(request, asked) }
  }
  async function passing(effects: readonly OrderEffect[]) {
    const divided = (await asking(effects)).exits()
    return divided.effects.map((each) => divided.exits.has(each))
  }
  return { exits, asking, beyond, passing, known, openOf, own }
}

interface Asking {
  limits?: typeof NO_LIMITS
  exchange?: 'mx' | 'bg'
  from?: UpstreamCall
  order?: OrderKey | undefined
  isWaiting?: boolean
}

test('an exit takes what its client opened, and the limits judge the part beyond', async () => {
  const { beyond } = exitsOf()
  expect(await beyond('a', [of('7')])).toEqual([undefined])
  expect(await beyond('b', [of('7')])).toEqual(['4'])
  expect(await beyond('c', [of('1')])).toEqual(['1'])
})

test('it is one only with a closing side, and in the account, market, symbol and direction', async () => {
  const { beyond } = exitsOf()
  const short = closingOfSide('short')
  expect(await beyond('a', [{ ...effect, closes: undefined }])).toEqual(['2'])
  expect(await beyond('a', [{ ...effect, closes: short }])).toEqual(['2'])
  expect(await beyond('a', [{ ...effect, symbol: 'ETHUSDT' }])).toEqual(['2'])
  expect(await beyond('a', [{ ...effect, productType: 'USDC-FUTURES' }])).toEqual(['2'])
  expect(await beyond('a', [effect], { exchange: 'mx' })).toEqual(['2'])
  expect(await beyond('a', [effect], { from: { ...call, demo: true } })).toEqual(['2'])
  const others = exitsOf({}, { keys: { ...alone, accountRefOf: async () => 6 } })
  expect(await others.beyond('a', [effect])).toEqual(['2'])
  expect(await beyond('a', [effect])).toEqual([undefined])
})

test('on a key of several clients, what attached exits may have closed is not own', async () => {
  const keys = { ...alone, othersWithKeyOf: async () => [2] }
  const { exits, beyond, openOf } = exitsOf({}, { keys })
  await beyond('a', [effect])
  expect(openOf.mock.lastCall?.[6]).toEqual({ leavesOutAttached: true })
  const place = 'futures USDT-FUTURES BTCUSDT'
  const position = { clientRef: 1, exchange: 'bg', keysId: 5, place, side: 'long' } as const
  exits.isEnough({ ...position, kind: 'now', isShared: true })
  expect(openOf.mock.lastCall?.[6]).toEqual({ leavesOutAttached: true })
})

test('each kind takes all of a position; on spot all kinds share it', async () => {
  const { beyond } = exitsOf()
  expect(await beyond('a', [of('10'), of('10', stop)])).toEqual([undefined, undefined])
  expect(await beyond('b', [of('1', stop)])).toEqual(['1'])
  const spot = exitsOf()
  const later = closingOfSide('long', { kind: 'stop' })
  expect(await spot.beyond('a', [of('6', sale)])).toEqual([undefined])
  expect(await spot.beyond('b', [{ ...of('6', sale), closes: later }])).toEqual(['2'])
  const resting = exitsOf({ resting: { now: '4', stop: '3', profit: '2' } })
  expect(await resting.beyond('a', [of('6')])).toEqual([undefined])
  expect(await resting.beyond('b', [of('8', stop)])).toEqual(['1'])
  expect(await resting.beyond('c', [of('2', sale)])).toEqual(['1'])
})

test('what was not placed, or is in the record, is free again, and a second check takes nothing more', async () => {
  const { exits, beyond, known } = exitsOf()
  expect(await beyond('a', [of('10')])).toEqual([undefined])
  expect(await beyond('a', [of('10')], { isWaiting: false })).toEqual([undefined])
  expect(await beyond('b', [of('10')])).toEqual(['10'])
  exits.free('a')
  expect(await beyond('b', [of('10')])).toEqual([undefined])
  // The position shrank while the order waited.
  known.open = '3'
  expect(await beyond('b', [of('10')], { isWaiting: false })).toEqual(['7'])
})

test('the mode of the account says what an order closes; while it is unknown it is no exit', async () => {
  const hedge: Closing | undefined = closingOf({ inHedge: 'long' })
  const byMode = { ...effect, closes: hedge }
  for (const [mode, expected] of [
    ['hedge', undefined],
    ['oneWay', '2'],
    [undefined, '2'],
  ] as const) {
    const positionMode = vi.fn(async () => mode)
    const { beyond } = exitsOf({}, { positionMode })
    expect(await beyond('a', [effect])).toEqual([undefined])
    expect(positionMode).not.toHaveBeenCalled()
    const from = { ...call }
    expect(await beyond('a', [byMode], { from })).toEqual([expected])
    expect(await beyond('a', [byMode], { from, isWaiting: false })).toEqual([expected])
    expect(positionMode).toHaveBeenCalledOnce()
    const either = { ...effect, closes: closingOf({ inOneWay: 'long' }) }
    expect(await beyond('b', [either], { from: { ...call } })).toEqual([undefined])
    expect(positionMode).toHaveBeenCalledOnce()
    // In hedge mode it may open.
    const mayOpen = { ...either, reduces: false }
    const own = exitsOf({}, { positionMode })
    const inOneWay = mode === 'oneWay' ? undefined : '2'
    expect(await own.beyond('c', [mayOpen], { from: { ...call } })).toEqual([inOneWay])
    positionMode.mockClear()
    // Limits that came while an order waited ask the exchange nothing.
    expect(await beyond('b', [byMode], { from: { ...call }, isWaiting: false })).toEqual(['2'])
  }
})

test('a position that is named by its id alone is the one of the key', async () => {
  const { beyond } = exitsOf()
  const order: OrderKey = {
    ...{ exchange: 'bg', family: 'bitget', market: 'futures', action: 'place', symbol: 'btcusdt' },
    closes: { ...closingOfSide('long'), kind: 'stop', isWhole: false, positionId: '7' } as Closing,
  }
  const named = { ...effect, symbol: undefined, closes: closingOf({ positionId: '7' }) }
  expect(await beyond('a', [named])).toEqual(['2'])
  expect(await beyond('a', [named], { order })).toEqual([undefined])
  const other = { ...named, closes: closingOf({ positionId: '8' }) }
  expect(await beyond('a', [other], { order })).toEqual(['2'])
})

test('a change takes what the order that it changes gives back, and keeps its size', async () => {
  const { beyond, openOf } = exitsOf()
  const changes = { orderId: 'x' }
  const kept = { ...effect, size: undefined, oldSize: '9', changes }
  expect(await beyond('a', [kept])).toEqual([undefined])
  const own = { leavesOutAttached: false }
  expect(openOf).toHaveBeenLastCalledWith(1, 'bg', 5, expect.any(String), 'long', changes, own)
  expect(await beyond('b', [of('2')])).toEqual(['1'])
  const unknown = { ...kept, oldSize: undefined }
  expect(await beyond('b', [unknown])).toEqual([undefined])
  expect(await beyond('b', [{ ...unknown, closes: undefined }])).toEqual([undefined])
})

test('where the mode or the position of an order is not known, the order may be an exit', async () => {
  const isUnread = async (from: OrderEffect, more: Partial<ExitsDeps> = {}, isWaiting = true) =>
    (await exitsOf({}, more).asking([from], isWaiting)).asked.isUnread
  const positionMode = async () => 'oneWay' as const
  const byMode = { ...effect, closes: closingOf({ inHedge: 'long' }) }
  const mayOpen = { ...effect, reduces: false, closes: closingOf({ inOneWay: 'long' }) }
  for (const each of [byMode, mayOpen]) {
    expect(await isUnread(each)).toBe(true)
    expect(await isUnread(each, { positionMode })).toBe(false)
    expect(await isUnread(each, { positionMode }, false)).toBe(true)
  }
  const named = { ...effect, closes: closingOf({ positionId: '7' }) }
  expect(await isUnread({ ...named, symbol: undefined })).toBe(true)
  expect(await isUnread(effect)).toBe(false)
  expect(await isUnread({ ...effect, closes: undefined, exit: '80' })).toBe(false)
})

test('what closes all is one where its client has opened something, or may have', async () => {
  const whole = { ...effect, size: undefined, closes: closingOf({ isWhole: true }) }
  const everywhere = { ...whole, symbol: undefined }
  const unread = { ...everywhere, closes: closingOf({ isWhole: true, positionId: '7' }) }
  const entry = { ...of('3'), closes: undefined }
  const place = 'futures USDT-FUTURES BTCUSDT'
  for (const hasOpen of [true, 'perhaps', false] as const) {
    const { passing, own } = exitsOf({}, {}, hasOpen)
    expect(await passing([whole])).toEqual([hasOpen !== false])
    expect(own.hasOpen).toHaveBeenLastCalledWith(1, 'bg', 5, place)
    expect(await passing([everywhere])).toEqual([hasOpen !== false])
    expect(own.hasOpen).toHaveBeenLastCalledWith(1, 'bg', 5, undefined)
    // Which position it is could not be read.
    expect(await passing([unread])).toEqual([false])
    // What the call itself opens.
    expect(await passing([entry, whole])).toEqual([false, true])
    const other = { ...entry, symbol: 'ETHUSDT' }
    expect(await passing([other, whole])).toEqual([false, hasOpen !== false])
  }
})

test('what hangs on an order has no value of its own', async () => {
  const entry = { ...effect, closes: undefined, exit: '80' }
  const { asked } = await exitsOf({ open: '0' }).asking([entry])
  expect(asked.effects).toEqual([{ ...entry, exit: undefined }])
})

test('with `limited` nothing is an exit, and with `any` all that reduces', async () => {
  const { beyond } = exitsOf({ open: '0' })
  const limited = { ...NO_LIMITS, exits: 'limited' } as const
  const any = { ...NO_LIMITS, exits: 'any' } as const
  const whole = { ...effect, closes: closingOf({ isWhole: true }) }
  expect(await beyond('a', [effect, whole], { limits: limited })).toEqual(['2', '2'])
  expect(await beyond('a', [effect, whole], { limits: any })).toEqual([undefined, undefined])
  expect(await beyond('a', [{ ...effect, closes: undefined }], { limits: any })).toEqual(['2'])
})

test('an exit whose outcome is unknown after a restart takes what it asked for', async () => {
  const { exits, beyond } = exitsOf()
  const bought = { ...spotSale, terms: { side: 'buy', size: '100' }, closes: undefined }
  const lost = { id: 'lost', clientRef: 1, exchange: 'bg', keysRef: 5 } as const
  exits.resume(lost, { ...spotSale, orders: [spotSale, bought] })
  exits.resume({ ...lost, id: 'older', keysRef: null }, spotSale)
  expect(await beyond('a', [of('3', sale)])).toEqual(['1'])
  exits.free('lost')
  expect(await beyond('a', [of('3', sale)])).toEqual([undefined])
})

test('what is open is enough when it covers all that rests and was admitted', async () => {
  const { exits, beyond, known } = exitsOf({ resting: { now: '4', stop: '9', profit: '0' } })
  const position = { clientRef: 1, exchange: 'bg', keysId: 5, side: 'long' } as const
  const isEnough = (kind: ExitKind, place = 'futures USDT-FUTURES BTCUSDT') =>
    exits.isEnough({ ...position, kind, place })
  await beyond('a', [of('6')])
  expect([isEnough('now'), isEnough('stop'), isEnough('now', 'spot BTCUSDT')]).toEqual([
    ...[true, true, false],
  ])
  known.open = '9'
  expect([isEnough('now'), isEnough('stop')]).toEqual([false, true])
})

const closes = closingOf({ inOneWay: 'short', inHedge: 'long' })
const eitherSide: OrderKey = {
  ...{ ...bgMix, symbol: 'BTCUSDT', terms: { side: 'buy', size: '4' }, closes },
}

test('the key of a call has the side that it closes by the mode at its admission', async () => {
  for (const [mode, side] of [
    ['oneWay', 'short'],
    ['hedge', 'long'],
  ] as const) {
    const { exits, beyond } = exitsOf({}, { positionMode: async () => mode })
    const from = { ...call }
    const ofCall = { call: from, order: eitherSide }
    expect(exits.inMode(ofCall).order).toBe(eitherSide)
    await beyond('a', [{ ...effect, closes }], { from, order: eitherSide })
    const sides = { inOneWay: side, inHedge: side }
    expect(exits.inMode(ofCall).order?.closes).toEqual({ ...closes, ...sides })
  }
})

test('after a restart one that closes either side, by a mode that is not known, takes of both', async () => {
  const { exits, beyond } = exitsOf()
  exits.resume({ id: 'lost', clientRef: 1, exchange: 'bg', keysRef: 5 }, eitherSide)
  expect(await beyond('a', [of('10')])).toEqual(['4'])
})
