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
  return changes.map(({ type, state }) => `${state} ${type}`)
}

test('an exchange that breaks down again at each probe is raised once, and cleared when it mends', () => {
  const broken = { type: 'broken', lane, forMs: 5000 } as const
  const mended = { type: 'mended', lane } as const
  expect(changes([broken, broken, broken, mended, mended])).toEqual([
    'raised exchange.broken',
    'cleared exchange.broken',
  ])
})

test('states of an exchange stand beside each other, and short pauses are none', () => {
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

test('a lane that gets stuck is raised once, and cleared when it sends again', () => {
  const stuck = { type: 'stuck', lane } as const
  const unstuck = { type: 'unstuck', lane } as const
  expect(changes([stuck, stuck, unstuck])).toEqual([
    'raised exchange.stuck',
    'cleared exchange.stuck',
  ])
})
