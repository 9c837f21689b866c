import { expect, test } from 'vitest'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { ordersOf } from '../exchanges/order-lookup/order-key.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import { notSent, QueueFullError } from '../lane/errors.ts'
import { systemTime } from '../time.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import type { SendOptions } from '../upstream/upstream.ts'
import { OrderCanceller } from './cancel-working-orders.ts'
import type { OrderSteps } from './order-request.ts'
import { WorkingOrderSync } from './sync-working-orders.ts'
import { UnknownCancels } from './unknown-cancels.ts'
import { WorkingOrders } from './working-orders.ts'

const CLIENT = { clientRef: 1, clientId: 'bot', exchange: 'mx' } as const

/** The rounds of a stop with one order on its way, whose outcome is known from round two on. */
async function roundsWith(accountRefOf: () => Promise<number>) {
  const notRead: unknown[] = []
  let round = 1
  const upstream = { accountRefOf, accountKindOf: async () => null, send: async () => never() }
  const canceller = new OrderCanceller({
    workingOrders: {
      list: () => [],
      sentOf: () => (round === 1 ? 1 : 0),
      oneEnded: async () => {
        round += 1
      },
    } as never,
    upstreams: { mx: upstream, bg: upstream },
    events: { emit: (_: string, { error }: { error: unknown }) => notRead.push(error) } as never,
    sync: { sync: never, removeEnded: never, takeOver: never },
    placeOrder: { place: never },
    unknownCancels: new UnknownCancels(),
    ...{ time: systemTime, pausesMs: [0] },
  })
  const left = await canceller.cancelAll(CLIENT, {
    ...{ reason: 'test', signal: new AbortController().signal },
    ...{ onCancelled: never, onLeft: () => {} },
  })
  return { left, notRead }
}

const never = () => {
  throw new Error('Nothing is cancelled here')
}

test('keys that cannot be read do not end a stop: the next round reads them again', async () => {
  const error = new Error('disk I/O error')
  const { left, notRead } = await roundsWith(() => Promise.reject(error))
  expect(left).toEqual([])
  expect(notRead).toEqual([error])
})

test('without keys, a stop ends and names what is left', async () => {
  const missing = new ExchangeKeysMissingError('MEXC')
  const { left, notRead } = await roundsWith(() => Promise.reject(missing))
  const message = expect.stringContaining('outcome of 1 order(s)')
  expect(left).toMatchObject([{ failed: { message } }])
  expect(notRead).toEqual([])
})

const NOW_MS = 600_000
const ok = (data: unknown): Verdict => ({ kind: 'ok', data })
const UNKNOWN: Verdict = { kind: 'unknown', why: 'HTTP 502' }
/** An order as MEXC futures shows it; state 2 is open, 3 filled. */
const shown = (orderId: string, state: number) => ({ orderId, state, symbol: 'BTC_USDT' })

interface Exchange {
  /** What MEXC says to the question for an order. */
  readonly answer: (orderId: string, context: RequestContext) => Verdict | Promise<Verdict>
  /** The ids in its list of open orders. */
  readonly open?: readonly string[]
  readonly cancel?: () => unknown
  readonly sleep?: () => Promise<void>
}

/**
 * A client with orders of the present keys (2) and of earlier ones (1), by the exchange's ids, and
 * what is sent for it: the class and the end of the path of each question, and the ids of cancels.
 */
type IdsOfKeys = Readonly<Record<1 | 2, readonly (string | null)[]>>
async function clientWith(ids: IdsOfKeys, mexc: Exchange) {
  const key = { exchange: 'mx', family: 'mexc-futures', market: 'futures', action: 'place' }
  const rows = ([1, 2] as const).flatMap((keysRef) =>
    ids[keysRef].map((orderId, at) => ({
      ...{ id: keysRef * 100 + at, clientRef: 1, exchange: 'mx' as const, keysRef, orderId },
      ...{ journalId: `request-${keysRef}-${at}`, clientOrderId: orderId === null ? 'own' : null },
      ...{ orderKey: JSON.stringify({ ...key, symbol: 'BTC_USDT' }), placedAtMs: 0 },
    })),
  )
  const sent: string[] = []
  const time = { now: () => NOW_MS, sleep: mexc.sleep ?? systemTime.sleep }
  const store = {
    async *read() {
      yield rows
    },
    remove: async () => {},
  }
  const workingOrders = new WorkingOrders(store, time)
  await workingOrders.load()
  const upstream = {
    accountRefOf: async () => 2,
    accountKindOf: async () => null,
    async send(context: RequestContext, { path }: UpstreamCall, { jobClass }: SendOptions) {
      const name = path.slice(path.lastIndexOf('/') + 1)
      sent.push(`${jobClass} ${name}`)
      if (name === 'history_orders') return { verdict: ok([]) }
      if (name !== 'open_orders') return { verdict: await mexc.answer(name, context) }
      return { verdict: ok((mexc.open ?? []).map((id) => shown(id, 2))) }
    },
  }
  const upstreams = { mx: upstream, bg: upstream } as never
  const events = { emit: () => {} } as never
  const sync = new WorkingOrderSync({
    ...{ workingOrders, upstreams, events, nowMs: time.now },
    ...{ clients: { find: never }, clocks: { mx: { nowMs: time.now }, bg: { nowMs: time.now } } },
  })
  const place = async (_request: unknown, _context: unknown, steps: OrderSteps<unknown>) => {
    const { order } = await steps.build(null as never)
    const named = order === undefined ? [] : ordersOf(order).map(({ orderId }) => orderId)
    sent.push(`cancel ${named.join()}`)
    mexc.cancel?.()
    const listed = workingOrders.list(1)
    await workingOrders.remove(listed.filter(({ orderId }) => named.includes(orderId ?? '')))
    return { response: Promise.resolve(), ended: Promise.resolve() }
  }
  const canceller = new OrderCanceller({
    ...{ workingOrders, upstreams, events, sync, time, pausesMs: [0, 0, 0] },
    placeOrder: { place: place as never },
    unknownCancels: new UnknownCancels(),
  })
  return {
    sent,
    listed: () => workingOrders.list(1).map(({ orderId }) => orderId),
    async stop(abort = new AbortController()) {
      const left = await canceller.cancelAll(CLIENT, {
        ...{ reason: 'test', signal: abort.signal, onCancelled: () => {}, onLeft: () => {} },
      })
      return left.map(({ failed: { orderId, message }, isElsewhere }) => ({
        ...{ orderId, message, isElsewhere },
      }))
    },
  }
}

const ELSEWHERE = { isElsewhere: true, message: expect.stringContaining('do not show it') }

test('the orders of the present keys are cancelled first, then those of earlier ones that are found', async () => {
  const answer = (id: string) => ok(id === 'filled' ? shown(id, 3) : null)
  const open = ['live', 'same-account']
  const earlier = ['gone', 'filled', 'same-account']
  const { sent, stop, listed } = await clientWith({ 1: earlier, 2: ['live'] }, { answer, open })
  expect(await stop()).toEqual([{ orderId: 'gone', ...ELSEWHERE }])
  expect(sent).toEqual([
    ...['lookup open_orders', 'cancel live'],
    // Behind all new orders.
    ...['account open_orders', 'account gone', 'account history_orders', 'account filled'],
    'cancel same-account',
  ])
  expect(listed()).toEqual(['gone'])
})

test('what could not be read of one order concerns that one, and what is elsewhere is not asked for again', async () => {
  let times = 0
  const answer = (id: string) => {
    if (id === 'slow') times += 1
    return id === 'slow' && times <= 2 ? UNKNOWN : ok(null)
  }
  const { sent, stop } = await clientWith({ 1: ['slow', 'gone'], 2: [] }, { answer })
  const left = ['slow', 'gone'].map((orderId) => ({ orderId, ...ELSEWHERE }))
  expect(await stop()).toEqual(left)
  expect(sent.filter((each) => each === 'account slow')).toHaveLength(3)
  expect(sent.filter((each) => each === 'account gone')).toHaveLength(1)
  // Nor by a later stop.
  const before = sent.length
  expect(await stop()).toEqual(left)
  expect(sent).toHaveLength(before)
})

test('an order of earlier keys that cannot be looked up may be open in this account', async () => {
  const { stop } = await clientWith({ 1: [null], 2: [] }, { answer: () => ok(null) })
  const message = expect.stringContaining('do not show whether it is open')
  expect(await stop()).toEqual([{ orderId: null, isElsewhere: false, message }])
})

test('a look-up that fails loses nothing of those before it', async () => {
  let fails = true
  const answer = (id: string) => {
    if (id === 'second' && fails) {
      fails = false
      throw notSent(new QueueFullError('MEXC', 1_000))
    }
    return ok(shown(id, 3))
  }
  const { sent, stop, listed } = await clientWith({ 1: ['first', 'second'], 2: [] }, { answer })
  expect(await stop()).toEqual([])
  expect(sent.filter((each) => each === 'account first')).toHaveLength(1)
  expect(listed()).toEqual([])
})

test('the end of the process ends the look-ups', async () => {
  const abort = new AbortController()
  const answer = () => {
    abort.abort()
    return ok(null)
  }
  const { sent, stop } = await clientWith({ 1: ['first', 'second'], 2: [] }, { answer })
  await stop(abort)
  expect(sent).toContain('account first')
  expect(sent).not.toContain('account second')
})

test('a cancel that is to be tried again does not wait for look-ups of earlier orders', async () => {
  const { promise: fiveSeconds, resolve: passed } = Promise.withResolvers<void>()
  let [tries, times] = [0, 0]
  const mexc: Exchange = {
    open: ['live'],
    sleep: () => fiveSeconds,
    cancel() {
      tries += 1
      if (tries === 1) throw notSent(new QueueFullError('MEXC', 1_000))
    },
    // The first one waits in the queue until nobody waits for it.
    async answer(_, { signal }) {
      times += 1
      if (times > 1) return ok(null)
      const dropped = new Promise<never>((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason)),
      )
      passed()
      return dropped
    },
  }
  const { sent, stop } = await clientWith({ 1: ['gone'], 2: ['live'] }, mexc)
  expect(await stop()).toEqual([{ orderId: 'gone', ...ELSEWHERE }])
  const round = ['lookup open_orders', 'cancel live', 'account open_orders', 'account gone']
  expect(sent).toEqual([...round, ...round, 'account history_orders'])
})
