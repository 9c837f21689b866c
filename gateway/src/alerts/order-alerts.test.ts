import { expect, test } from 'vitest'
import type { Alert } from './alert.ts'
import { createAlertBoard } from './alert-board.ts'
import { createOrderAlerts } from './order-alerts.ts'

function watched() {
  const reported: string[] = []
  const board = createAlertBoard({
    nowMs: () => 0,
    onChange: ({ state, type, subject, detail: { count, outcome } }: Alert) =>
      reported.push(`${state} ${type} ${subject} ${count ?? outcome}`),
  })
  const alerts = createOrderAlerts(board)
  const order = (id: string) => ({ id, exchange: 'bg', clientId: 'bot', endpoint: '/' }) as const
  return {
    reported,
    open: () => board.open().map(({ type, count }) => `${type} ${count}`),
    unknown: (id: string, kind: 'order' | 'cancel' = 'order', repeats: string[] = [], orders = 1) =>
      alerts.unknown({ order: order(id), kind, orders, repeats, isLookedUp: true }),
    resolved: (id: string, outcome: 'done' | 'not-done' | 'repeated' = 'done') =>
      alerts.resolved({ order: order(id), outcome }),
  }
}

test('unknown outcomes of a client are one alert with their number, reported again at ten', () => {
  const { unknown, resolved, open, reported } = watched()
  for (let at = 1; at <= 11; at += 1) unknown(`${at}`)
  expect(open()).toEqual(['order.unknown 11'])
  expect(reported).toEqual(['raised order.unknown bg/bot 1', 'raised order.unknown bg/bot 10'])
  for (let at = 1; at <= 10; at += 1) resolved(`${at}`)
  expect(open()).toEqual(['order.unknown 1'])
  resolved('11', 'not-done')
  resolved('11')
  expect(open()).toEqual([])
  expect(reported.slice(2)).toEqual(['cleared order.unknown bg/bot not-done'])
})

test('the tries of a cancel are one, and no order', () => {
  const { unknown, resolved, open, reported } = watched()
  unknown('first', 'cancel', [], 9)
  for (const [at, id] of ['second', 'third'].entries()) {
    const earlier = ['first', 'second'][at] ?? ''
    unknown(id, 'cancel', [earlier], 9)
    resolved(earlier, 'repeated')
  }
  expect(open()).toEqual(['cancel.unknown 9'])
  resolved('third')
  expect(reported).toEqual(['raised cancel.unknown bg/bot 9', 'cleared cancel.unknown bg/bot done'])
})
