import { expect, test } from 'vitest'
import type { LaneEvent } from '../lane/lane-types.ts'
import type { Alert } from './alert.ts'
import { createAlertBoard } from './alert-board.ts'
import { createLaneAlerts } from './lane-alerts.ts'

const lane = 'MEXC'

function changes(events: LaneEvent[]): string[] {
  const changes: Alert[] = []
  const board = createAlertBoard({ nowMs: () => 0, onChange: (alert) => changes.push(alert) })
  const report = createLaneAlerts(board)
  for (const event of events) report('mx', event)
  return changes.map(({ type, state, subject }) =>
    subject === 'mx' ? `${state} ${type}` : `${state} ${type} ${subject}`,
  )
}

test('an exchange that fails at every probe raises one alert, which clears when the exchange recovers', () => {
  const broken = { type: 'broken', lane, forMs: 5000 } as const
  const mended = { type: 'mended', lane } as const
  expect(changes([broken, broken, broken, mended, mended])).toEqual([
    'raised exchange.broken',
    'cleared exchange.broken',
  ])
})

test('one exchange can have several alerts at once, and a short pause raises none', () => {
  const events: LaneEvent[] = [
    { type: 'throttled', lane, forMs: 1000 },
    { type: 'paused', lane, forMs: 1000 },
    { type: 'stopped', lane, reason: 'a drill' },
    { type: 'fault', lane, error: new Error('a bug') },
    { type: 'recovered', lane },
    { type: 'resumed', lane },
  ]
  expect(changes(events)).toEqual([
    'raised exchange.throttled',
    'raised exchange.stopped',
    'cleared exchange.throttled',
    'cleared exchange.stopped',
  ])
})

test('a stuck lane raises one alert, which clears when the lane sends again', () => {
  const stuck = { type: 'stuck', lane } as const
  const unstuck = { type: 'unstuck', lane } as const
  expect(changes([stuck, stuck, unstuck])).toEqual([
    'raised exchange.stuck',
    'cleared exchange.stuck',
  ])
})

test('an account that fails alone raises one alert, cleared when it or the exchange is the reason no more', () => {
  const account = (clientId: string, isSigned = true) => ({ lane, clientId, isSigned })
  const broken = { type: 'account-broken', forMs: 5000 } as const
  const events: LaneEvent[] = [
    { ...broken, ...account('ann') },
    { ...broken, ...account('ann') },
    // Its market reads fail: the client may ask for what there is not.
    { ...broken, ...account('bob', false) },
    { type: 'account-mended', ...account('ann', false) },
    { type: 'account-mended', ...account('ann') },
    { ...broken, ...account('ann') },
    { type: 'broken', lane, forMs: 5000 },
  ]
  expect(changes(events)).toEqual([
    'raised exchange.account-broken mx/ann',
    'cleared exchange.account-broken mx/ann',
    'raised exchange.account-broken mx/ann',
    'cleared exchange.account-broken mx/ann',
    'raised exchange.broken',
  ])
})
