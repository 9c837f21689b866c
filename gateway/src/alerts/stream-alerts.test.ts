import { expect, test } from 'vitest'
import type { FeedFacts } from '../upstream/events.ts'
import { type Alert, createAlertBoard } from './alert-board.ts'
import { StreamAlerts } from './stream-alerts.ts'

const MINUTE_MS = 60_000
const SPOT: FeedFacts = { feed: 'mexc-spot', exchange: 'mx', accountRef: 5, clients: [9, 3] }
const FUTURES: FeedFacts = { ...SPOT, feed: 'mexc-futures' }

function watched() {
  const world = { nowMs: 1_800_000_000_000 }
  const alerts: Alert[] = []
  const board = createAlertBoard({
    nowMs: () => world.nowMs,
    onChange: (alert) => void alerts.push(alert),
  })
  const find = async (id: number) => ({ id, clientId: `bot-${id}` }) as never
  const onError = (error: unknown) => expect(error).toBeUndefined()
  const streams = new StreamAlerts({ board, clients: { find }, onError })
  return {
    ...{ streams, alerts },
    changes: () => alerts.map(({ state, type, subject }) => `${state} ${type} ${subject}`),
    /** Lets time pass, with the checks of each minute. */
    async pass(ms: number) {
      world.nowMs += ms
      await streams.check()
    },
  }
}

const isIn = (state: 'live' | 'gap' | 'reconciling', reason: string | null = null) => ({
  ...{ state, reason },
})

test('a stream that is down for a minute raises one alert for its account, cleared when it comes again', async () => {
  const { streams, alerts, changes, pass } = watched()
  streams.begun(SPOT)
  streams.begun(FUTURES)
  streams.stateChanged({ ...FUTURES, ...isIn('live') })
  streams.stateChanged({ ...SPOT, ...isIn('gap', 'unreachable') })
  await pass(MINUTE_MS - 1)
  expect(changes()).toEqual([])
  await pass(1)
  await pass(MINUTE_MS)
  expect(changes()).toEqual(['raised stream.down mx/bot-3'])
  expect(alerts[0]?.message).toContain('"bot-3", "bot-9" at MEXC: unreachable')
  expect(alerts[0]?.detail).toMatchObject({ feeds: 'mexc-spot', clients: 'bot-3, bot-9' })
  streams.stateChanged({ ...SPOT, ...isIn('reconciling') })
  await pass(0)
  expect(changes().slice(1)).toEqual(['cleared stream.down mx/bot-3'])
})

test('a gap that reads do not close raises an alert after five minutes, also after several sockets', async () => {
  const { streams, changes, pass } = watched()
  streams.begun(SPOT)
  for (let minute = 0; minute < 5; minute += 1) {
    streams.stateChanged({ ...SPOT, ...isIn('gap', 'disconnected') })
    await pass(MINUTE_MS / 2)
    streams.stateChanged({ ...SPOT, ...isIn('reconciling') })
    await pass(MINUTE_MS / 2 - (minute === 4 ? 1 : 0))
  }
  expect(changes()).toEqual([])
  await pass(1)
  expect(changes()).toEqual(['raised stream.gap mx/bot-3'])
  // A socket that is lost for seconds makes it neither better nor another alert.
  streams.stateChanged({ ...SPOT, ...isIn('gap', 'disconnected') })
  await pass(MINUTE_MS / 2)
  streams.stateChanged({ ...SPOT, ...isIn('reconciling') })
  await pass(0)
  expect(changes()).toHaveLength(1)
  streams.stateChanged({ ...SPOT, ...isIn('live') })
  await pass(0)
  expect(changes().slice(1)).toEqual(['cleared stream.gap mx/bot-3'])
})

test('after a long time without a socket, the reads have five minutes before that is an alert', async () => {
  const { streams, changes, pass } = watched()
  streams.begun(SPOT)
  await pass(10 * MINUTE_MS)
  streams.stateChanged({ ...SPOT, ...isIn('reconciling') })
  await pass(5 * MINUTE_MS - 1)
  expect(changes()).toEqual(['raised stream.down mx/bot-3', 'cleared stream.down mx/bot-3'])
  await pass(1)
  expect(changes().slice(2)).toEqual(['raised stream.gap mx/bot-3'])
})

test('refused keys raise their own alert at once, which ends with the need for the stream', async () => {
  const { streams, alerts, changes, pass } = watched()
  streams.refused({ ...SPOT, isKey: false, message: 'busy' })
  await pass(0)
  expect(changes()).toEqual([])
  streams.refused({ ...SPOT, isKey: true, message: 'Invalid sign' })
  await pass(10 * MINUTE_MS)
  expect(changes()).toEqual(['raised stream.refused mx/bot-3'])
  expect(alerts[0]?.message).toContain('Invalid sign')
  streams.closed(SPOT)
  await pass(MINUTE_MS)
  expect(changes().slice(1)).toEqual(['cleared stream.refused mx/bot-3'])
})
