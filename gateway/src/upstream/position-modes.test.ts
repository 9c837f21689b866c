import type { AccountKind, ExchangeCode } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { PositionPlace } from '../exchanges/position-part.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import { adapters } from '../exchanges/registry.ts'
import { NotOwnerError } from '../store/errors.ts'
import { ExchangeKeysMissingError } from './errors.ts'
import { Events } from './events.ts'
import { PositionModes } from './position-modes.ts'
import { createTimings, type RequestContext } from './request-context.ts'

const MX_MODE = '/api/v1/private/position/position_mode?'
const MX_POSITIONS = '/api/v1/private/position/open_positions?'
const CLASSIC = '/api/v2/mix/account/account?'
const SETTINGS = '/api/v3/account/settings?'
const CURRENT = '/api/v3/position/current-position?'

const mx: PositionPlace = { market: 'futures', symbol: 'BTC_USDT' }
const bg: PositionPlace = { market: 'futures', symbol: 'BTCUSDT', productType: 'USDT-FUTURES' }

const ok = (data: unknown): Verdict => ({ kind: 'ok', data })
const rejected = (kind: 'account-kind' | 'permission'): Verdict => ({
  kind: 'rejected',
  rejection: { class: kind, exchangeCode: '1', exchangeMessage: '' },
})

let nowMs: number
let kind: AccountKind | null
let asked: { url: string; call: UpstreamCall; context: RequestContext }[]
let respond: (url: string) => Verdict | Promise<Verdict>
let events: Events
let modes: PositionModes

beforeEach(() => {
  nowMs = 0
  kind = null
  asked = []
  events = new Events({ error: (error) => expect.fail(String(error)) })
  const upstream = {
    accountRefOf: async ({ clientRef }: Pick<RequestContext, 'clientRef'>) => clientRef * 10,
    accountKindOf: async () => kind,
    async lookUp(context: RequestContext, call: UpstreamCall) {
      const url = `${call.path}?${call.query}`
      asked.push({ url, call, context })
      return respond(url)
    },
  }
  modes = new PositionModes({
    ...{ upstreams: { mx: upstream, bg: upstream }, events },
    monotonicMs: () => nowMs,
  })
})

function contextOf(clientRef = 1): RequestContext {
  return {
    ...{ requestId: 'r', method: 'POST', endpoint: '/', clientRef, clientId: `bot-${clientRef}` },
    timings: createTimings(),
  }
}

const modeOf = (exchange: ExchangeCode, place: PositionPlace, clientRef = 1) =>
  modes.modeOf(contextOf(clientRef), exchange, place)

/** Tells the observers of a call that it has ended. */
function ended(exchange: ExchangeCode, line: string): void {
  const [method = '', path = ''] = line.split(' ')
  const call = { method, path, query: '', body: '{}' } as UpstreamCall
  events.emit('call', {
    ...{ exchange, call, context: undefined, waitedMs: 0, startedAtMs: 0, durationMs: 0 },
    ...{ status: 200, result: 'ok', remaining: undefined },
  })
}

type Answers = Readonly<Record<string, unknown>>

test.each<[ExchangeCode, PositionPlace, AccountKind | null, Answers, string | undefined]>([
  ['mx', mx, null, { [MX_MODE]: 1 }, 'hedge'],
  ['mx', mx, null, { [MX_MODE]: '2' }, 'oneWay'],
  ['mx', mx, null, { [MX_MODE]: 3 }, undefined],
  ['mx', mx, null, { [MX_MODE]: { positionMode: 1 } }, undefined],
  ['bg', bg, null, { [CLASSIC]: { posMode: 'one_way_mode' } }, 'oneWay'],
  ['bg', bg, 'classic', { [CLASSIC]: { posMode: 'hedge_mode' } }, 'hedge'],
  ['bg', bg, 'classic', { [CLASSIC]: { posMode: '' } }, undefined],
  ['bg', bg, 'classic', { [CLASSIC]: [] }, undefined],
  ['bg', bg, 'unified', { [SETTINGS]: { holdMode: 'hedge_mode' } }, 'hedge'],
  [
    ...(['bg', bg, 'unified'] as const),
    { [SETTINGS]: undefined, [CURRENT]: { list: [{ holdMode: 'one_way_mode' }] } },
    'oneWay',
  ],
  ['bg', bg, 'unified', { [SETTINGS]: undefined, [CURRENT]: { list: null } }, undefined],
])('%s: %j of a %s account: %j is %s', async (exchange, place, of, answers, mode) => {
  kind = of
  const urls = Object.keys(answers)
  respond = (url) => {
    const data = answers[urls.find((start) => url.startsWith(start)) ?? '']
    return data === undefined ? rejected('permission') : ok(data)
  }
  expect(await modeOf(exchange, place)).toBe(mode)
  expect(asked.map(({ url }) => urls.find((start) => url.startsWith(start)))).toEqual(urls)
  for (const { call } of asked) {
    const { calls } = adapters.of(call.family)
    expect(call).toMatchObject({ method: 'GET', signed: true, body: null })
    expect(calls.kinds.get(`GET ${call.path}`), call.path).toBe('account')
  }
})

test.each<[symbol: string, productType: string, query: string]>([
  ['BTCUSDT', 'USDT-FUTURES', 'symbol=BTCUSDT&productType=USDT-FUTURES&marginCoin=USDT'],
  ['BTCPERP', 'USDC-FUTURES', 'symbol=BTCPERP&productType=USDC-FUTURES&marginCoin=USDC'],
  ['BTCUSD', 'COIN-FUTURES', 'symbol=BTCUSD&productType=COIN-FUTURES&marginCoin=BTC'],
])('the mode of %s in %s is asked for with its margin coin', async (symbol, productType, query) => {
  respond = () => ok({ posMode: 'hedge_mode' })
  await modeOf('bg', { market: 'futures', symbol, productType, demo: true })
  const [{ call } = {}] = asked
  expect(call?.query).toBe(query)
  expect(call?.demo).toBe(true)
})

test('on spot nobody asks', async () => {
  expect(await modeOf('bg', { market: 'spot', symbol: 'BTCUSDT' })).toBeUndefined()
  expect(asked).toEqual([])
})

test('a mode is remembered for ten minutes, for each account and product type', async () => {
  respond = () => ok({ posMode: 'hedge_mode' })
  expect(modes.knownMode('bg', 10, bg)).toBeUndefined()
  await modeOf('bg', bg)
  nowMs = 599_999
  expect(await modeOf('bg', { ...bg, symbol: 'XRPUSDT' })).toBe('hedge')
  expect(modes.knownMode('bg', 10, bg)).toBe('hedge')
  expect(asked).toHaveLength(1)
  await modeOf('bg', { ...bg, productType: 'USDC-FUTURES' })
  await modeOf('bg', { ...bg, demo: true })
  await modeOf('bg', bg, 2)
  expect(asked).toHaveLength(4)
  nowMs = 600_000
  expect(modes.knownMode('bg', 10, bg)).toBeUndefined()
  await modeOf('bg', bg)
  expect(asked).toHaveLength(5)
})

test('an unclear response is not asked for again for ten seconds', async () => {
  respond = () => ({ kind: 'unknown', why: 'it had no body' })
  expect(await modeOf('mx', mx)).toBeUndefined()
  nowMs = 9_999
  expect(await modeOf('mx', mx)).toBeUndefined()
  expect(asked).toHaveLength(1)
  nowMs = 10_000
  respond = () => ok(2)
  expect(await modeOf('mx', mx)).toBe('oneWay')
})

test('what cannot be asked for is not known, reported, and not remembered', async () => {
  const failures: unknown[] = []
  events.on('positionNotRead', (failure) => failures.push(failure))
  respond = () => {
    throw new ExchangeKeysMissingError('MEXC')
  }
  expect(await modeOf('mx', mx)).toBeUndefined()
  expect(await modes.positionOf(contextOf(2), 'mx', '5')).toBeUndefined()
  const error = expect.any(ExchangeKeysMissingError)
  expect(failures).toEqual([
    { exchange: 'mx', clientRef: 1, error },
    { exchange: 'mx', clientRef: 2, error },
  ])
  respond = () => ok(1)
  expect(await modeOf('mx', mx)).toBe('hedge')
})

test('another node has to ask: the caller gets the error', async () => {
  respond = () => {
    throw new NotOwnerError()
  }
  await expect(modeOf('mx', mx)).rejects.toThrow(NotOwnerError)
  await expect(modes.positionOf(contextOf(), 'mx', '5')).rejects.toThrow(NotOwnerError)
})

test('an account of the other kind is asked once more, in its form', async () => {
  respond = (url) => {
    if (url.startsWith(SETTINGS)) return ok({ holdMode: 'one_way_mode' })
    kind = 'unified'
    return rejected('account-kind')
  }
  expect(await modeOf('bg', bg)).toBe('oneWay')
  respond = () => rejected('account-kind')
  expect(await modeOf('bg', bg, 2)).toBeUndefined()
  expect(asked.map(({ url }) => url.replace(/\?.*/, '?'))).toEqual([
    ...[CLASSIC, SETTINGS],
    ...[SETTINGS, SETTINGS],
  ])
})

test.each([
  ['mx', 'POST /api/v1/private/position/change_position_mode'],
  ['bg', 'POST /api/v2/mix/account/set-position-mode'],
  ['bg', 'POST /api/v3/account/set-hold-mode'],
] as const)('%s: after %s the mode is asked for again', async (exchange, line) => {
  const place = exchange === 'mx' ? mx : bg
  respond = () => ok(exchange === 'mx' ? 1 : { posMode: 'hedge_mode' })
  await modeOf(exchange, place)
  ended(exchange, line.replace('POST', 'GET'))
  ended(exchange, 'POST /api/v2/mix/account/set-leverage')
  await modeOf(exchange, place)
  expect(asked).toHaveLength(1)
  ended(exchange, line)
  await modeOf(exchange, place)
  expect(asked).toHaveLength(2)
})

test('nobody gets the result of a question from before a change of the mode', async () => {
  const { promise, resolve } = Promise.withResolvers<Verdict>()
  respond = () => promise
  const before = modeOf('mx', mx)
  await expect.poll(() => asked.length).toBe(1)
  ended('mx', 'POST /api/v1/private/position/change_position_mode')
  respond = () => ok(2)
  const after = modeOf('mx', mx)
  resolve(ok(1))
  expect(await before).toBeUndefined()
  expect(await after).toBe('oneWay')
  expect(await modeOf('mx', mx)).toBe('oneWay')
  expect(asked).toHaveLength(2)
})

test('callers at the same time share a question, which does not end with the first', async () => {
  respond = () => ok(2)
  const { signal } = new AbortController()
  const first = modes.modeOf({ ...contextOf(), signal }, 'mx', mx)
  expect(await Promise.all([first, modeOf('mx', mx)])).toEqual(['oneWay', 'oneWay'])
  expect(asked).toHaveLength(1)
  expect(asked[0]?.context.signal).toBeUndefined()
})

const row = { positionId: '5', symbol: 'BTC_USDT', positionType: 2, state: 1 }
const long = { ...row, positionId: 7, positionType: 1 }

test.each([
  [[row, long], '5', { symbol: 'BTC_USDT', side: 'short' }],
  [[row, long], '7', { symbol: 'BTC_USDT', side: 'long' }],
  [[row, long], '6', undefined],
  [[{ ...row, state: 3 }], '5', undefined],
  [[{ ...row, positionType: 0 }], '5', undefined],
  [[{ ...row, symbol: '' }], '5', undefined],
  [null, '5', undefined],
])('of %j the position %s is %j', async (data, id, position) => {
  respond = () => ok(data)
  expect(await modes.positionOf(contextOf(), 'mx', id)).toEqual(position)
  expect(asked.map(({ url }) => url)).toEqual([`${MX_POSITIONS}positionId=${id}`])
})

test('Bitget names no position by an id', async () => {
  expect(await modes.positionOf(contextOf(), 'bg', '5')).toBeUndefined()
  expect(asked).toEqual([])
})
