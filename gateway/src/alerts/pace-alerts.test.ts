import { expect, test } from 'vitest'
import { createAlertBoard } from './alert-board.ts'
import { createPaceAlerts } from './pace-alerts.ts'

test('calls above the rate raise one alert, cleared ten minutes after the last of them', () => {
  let minute = 0
  const changes: string[] = []
  const board = createAlertBoard({
    nowMs: () => minute * 60_000,
    onChange: ({ type, subject, state }) => changes.push(`${type} ${subject} ${state}`),
  })
  const pace = createPaceAlerts({ board, nowMs: () => minute * 60_000 })
  for (; minute < 30; minute += 1) {
    if (minute === 1 || minute === 9) pace.violated({ exchange: 'bg', ratePerSecond: 2 })
    pace.check()
    expect(changes.length).toBe(minute < 1 ? 0 : minute < 20 ? 1 : 2)
  }
  expect(changes).toEqual(['pace.violation bg raised', 'pace.violation bg cleared'])
})
