import { expect, test } from 'vitest'
import { ClientActivity } from './clients-now.ts'

const START_MS = Date.UTC(2026, 2, 5, 14, 30)
const DAY_MS = 86_400_000
const bot = (clientRef: number) => ({ clientRef, clientId: `bot-${clientRef}` })

test('the requests of the last minute count, those before do not', () => {
  const activity = new ClientActivity()
  for (let second = 0; second < 120; second += 1)
    activity.began(bot(1), '203.0.113.7', START_MS + second * 1_000)
  const nowMs = START_MS + 119_999
  const [client] = activity.ofLastDay(nowMs)
  expect(client?.requests.total(nowMs)).toBe(60)
  expect(client?.requests.total(nowMs + 30_000)).toBe(30)
  expect(client?.requests.total(nowMs + 3_600_000)).toBe(0)
  expect(client).toMatchObject({ lastSeenAtMs: START_MS + 119_000, lastAddress: '203.0.113.7' })
})

test('a client that was not seen for a day is forgotten', () => {
  const activity = new ClientActivity()
  activity.began(bot(1), '203.0.113.7', START_MS)
  activity.restore({ ...bot(2), lastSeenAtMs: START_MS + 1, lastAddress: '203.0.113.8' })
  expect(activity.ofLastDay(START_MS + DAY_MS)).toHaveLength(2)
  expect(activity.ofLastDay(START_MS + DAY_MS + 1)).toMatchObject([bot(2)])
})

test('ten thousand clients are remembered at most', () => {
  const activity = new ClientActivity()
  for (let each = 0; each < 10_010; each += 1) activity.began(bot(each), '::1', START_MS)
  const clients = activity.ofLastDay(START_MS)
  expect(clients).toHaveLength(10_000)
  expect(clients.at(-1)).toMatchObject(bot(10_009))
})

test('a clock that is set back loses no count', () => {
  const activity = new ClientActivity()
  activity.began(bot(1), '::1', START_MS)
  const client = activity.began(bot(1), '::1', START_MS - 3_600_000)
  expect(client.requests.total(START_MS)).toBe(2)
})
