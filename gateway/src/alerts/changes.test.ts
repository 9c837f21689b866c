import { expect, test } from 'vitest'
import type { LaneEvent } from '../lane/lane-types.ts'
import { createAlertBoard } from './alert-board.ts'
import { createSignInAlerts } from './caller-alerts.ts'
import { createPaceAlerts, reportLane } from './lane-alerts.ts'
import { createOrderAlerts } from './order-alerts.ts'

const MINUTE_MS = 60_000

/** A board at a time that the test sets, and what changed on it: state, type, subject and more. */
function watchedBoard() {
  const world = { nowMs: 1_800_000_000_000 }
  const changes: string[] = []
  const nowMs = () => world.nowMs
  const board = createAlertBoard({
    nowMs,
    onChange({ state, type, subject, detail: { count, outcome } }) {
      const more = count ?? outcome
      changes.push(`${state} ${type} ${subject}${more === undefined ? '' : ` ${more}`}`)
    },
  })
  return { world, changes, board }
}

const lane = 'MEXC'
const broken = { type: 'broken', lane, forMs: 5000 } as const
const mended = { type: 'mended', lane } as const
const [stuck, unstuck] = [{ type: 'stuck', lane } as const, { type: 'unstuck', lane } as const]
const account = (clientId: string, isSigned = true) => ({ lane, clientId, isSigned })
const accountBroken = { type: 'account-broken', forMs: 5000 } as const

test.each<[what: string, events: LaneEvent[], changes: string[]]>([
  [
    'an exchange that fails at every probe raises one alert, which clears when it recovers',
    [broken, broken, broken, mended, mended],
    ['raised exchange.broken mx', 'cleared exchange.broken mx'],
  ],
  [
    'one exchange can have several alerts at once, and a short pause raises none',
    [
      { type: 'throttled', lane, forMs: 1000 },
      { type: 'paused', lane, forMs: 1000 },
      { type: 'stopped', lane, reason: 'a drill' },
      { type: 'fault', lane, error: new Error('a bug') },
      { type: 'recovered', lane },
      { type: 'resumed', lane },
    ],
    [
      ...['raised exchange.throttled mx', 'raised exchange.stopped mx'],
      ...['cleared exchange.throttled mx', 'cleared exchange.stopped mx'],
    ],
  ],
  [
    'a stuck lane raises one alert, which clears when the lane sends again',
    [stuck, stuck, unstuck],
    ['raised exchange.stuck mx', 'cleared exchange.stuck mx'],
  ],
  [
    'an account that fails alone raises one alert, cleared when it or the exchange is the reason no more',
    [
      { ...accountBroken, ...account('ann') },
      { ...accountBroken, ...account('ann') },
      // Its market reads fail: the client may ask for what there is not.
      { ...accountBroken, ...account('bob', false) },
      { type: 'account-mended', ...account('ann', false) },
      { type: 'account-mended', ...account('ann') },
      { ...accountBroken, ...account('ann') },
      broken,
    ],
    [
      ...['raised exchange.account-broken mx/ann', 'cleared exchange.account-broken mx/ann'],
      ...['raised exchange.account-broken mx/ann', 'cleared exchange.account-broken mx/ann'],
      'raised exchange.broken mx',
    ],
  ],
])('%s', (_what, events, expected) => {
  const { board, changes } = watchedBoard()
  for (const event of events) reportLane(board, 'mx', event)
  expect(changes).toEqual(expected)
})

const MADE_NOW = { isLookedUp: true, isRecovered: false } as const

function orders() {
  const { board, changes } = watchedBoard()
  const alerts = createOrderAlerts(board)
  const order = (id: string) => ({ id, exchange: 'bg', clientId: 'bot', endpoint: '/' }) as const
  return {
    changes,
    open: () => board.open().map(({ type, count }) => `${type} ${count}`),
    unknown: (id: string, kind: 'order' | 'cancel' = 'order', repeats: string[] = [], orders = 1) =>
      alerts.unknown({ order: order(id), kind, orders, repeats, ...MADE_NOW }),
    found: (id: string) =>
      alerts.unknown({
        ...{ order: order(id), kind: 'order', orders: 1, repeats: [] },
        ...{ isLookedUp: true, isRecovered: true },
      }),
    recovered: alerts.recovered,
    resolved: (id: string, outcome: 'done' | 'not-done' | 'repeated' = 'done') =>
      alerts.resolved({ order: order(id), outcome }),
  }
}

test('unknown outcomes of a client are one alert with their number, reported again at ten', () => {
  const { unknown, resolved, open, changes } = orders()
  for (let at = 1; at <= 11; at += 1) unknown(`${at}`)
  expect(open()).toEqual(['order.unknown 11'])
  expect(changes).toEqual(['raised order.unknown bg/bot 1', 'raised order.unknown bg/bot 10'])
  for (let at = 1; at <= 10; at += 1) resolved(`${at}`)
  expect(open()).toEqual(['order.unknown 1'])
  resolved('11', 'not-done')
  resolved('11')
  expect(open()).toEqual([])
  expect(changes.slice(2)).toEqual(['cleared order.unknown bg/bot not-done'])
})

test('what a restart finds of a client is one alert, whatever the number', () => {
  const { found, recovered, unknown, changes } = orders()
  for (let at = 1; at <= 12; at += 1) found(`${at}`)
  expect(changes).toEqual([])
  recovered()
  unknown('new')
  recovered()
  expect(changes).toEqual(['raised order.unknown bg/bot 12'])
})

test('the tries of a cancel are one, and no order', () => {
  const { unknown, resolved, open, changes } = orders()
  unknown('first', 'cancel', [], 9)
  for (const [at, id] of ['second', 'third'].entries()) {
    const earlier = ['first', 'second'][at] ?? ''
    unknown(id, 'cancel', [earlier], 9)
    resolved(earlier, 'repeated')
  }
  expect(open()).toEqual(['cancel.unknown 9'])
  resolved('third')
  expect(changes).toEqual(['raised cancel.unknown bg/bot 9', 'cleared cancel.unknown bg/bot done'])
})

test('calls above the rate raise one alert, cleared ten minutes after the last of them', () => {
  const { world, board, changes } = watchedBoard()
  const pace = createPaceAlerts(board)
  for (let minute = 0; minute < 30; minute += 1) {
    if (minute === 1 || minute === 9) pace.violated({ exchange: 'bg', ratePerSecond: 2 })
    pace.check()
    expect(changes.length).toBe(minute < 1 ? 0 : minute < 20 ? 1 : 2)
    world.nowMs += MINUTE_MS
  }
  expect(changes.map((change) => change.split(' ').slice(0, 3).join(' '))).toEqual([
    ...['raised pace.violation bg', 'cleared pace.violation bg'],
  ])
})

function signingIn() {
  const { world, board, changes } = watchedBoard()
  const signIns = createSignInAlerts(board)
  const fail = (times: number) => {
    for (let i = 0; i < times; i += 1)
      signIns.attempted({ kind: 'client', result: 'refused' }, '203.0.113.9')
  }
  return { world, states: () => changes.map((change) => change.split(' ')[0]), signIns, fail }
}

// The five minutes once began with the first failure, so one attack could be split into two counts.
test('thirty failures within five minutes raise an alert, whenever the first of them was', () => {
  const { world, states, fail } = signingIn()
  fail(1)
  world.nowMs += 4.9 * MINUTE_MS
  fail(20)
  world.nowMs += 0.2 * MINUTE_MS
  fail(9)
  expect(states()).toEqual([])
  fail(1)
  expect(states()).toEqual(['raised'])
})

test('failures that are further apart are nobody’s attack, and one is over after ten quiet minutes', () => {
  const { world, states, signIns, fail } = signingIn()
  for (let i = 0; i < 10; i += 1) {
    fail(10)
    world.nowMs += 3 * MINUTE_MS
  }
  expect(states()).toEqual([])
  fail(30)
  world.nowMs += 10 * MINUTE_MS
  signIns.check()
  expect(states()).toEqual(['raised'])
  world.nowMs += 1
  signIns.check()
  expect(states()).toEqual(['raised', 'cleared'])
})
