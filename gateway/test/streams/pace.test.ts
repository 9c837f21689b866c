import { expect, test } from 'vitest'
import { restingOrder, streamingGateway } from '../support/account-streams.ts'
import { botOf } from '../support/bot-of.ts'
import { FORMS, restingCall } from '../support/order-forms.ts'

const RATE = 2
/** How long the set time is not moved, so that the gateway sends what is due. */
const STEP_MS = 20
const READS = 15

test('the reads of a gap wait behind everything else, and no second has more than the rate', async () => {
  const world = await streamingGateway({}, RATE)
  const { paper, sockets, states, time, until } = world
  const bot = await botOf(world)
  await time.during(restingOrder(bot, FORMS.rawMexcFutures), { stepMs: STEP_MS })
  await until('futures', 'live', { stepMs: STEP_MS })
  const arrived = () => paper.received({ exchange: 'mx' })
  const firstReads = arrived().length
  expect(firstReads).toBeGreaterThan(1)

  const read = (limit: number) => bot.get(`/mx/api/v3/depth?symbol=BTCUSDT&limit=${limit}`)
  const reading = Promise.all(Array.from({ length: READS }, (_, at) => read(at + 1)))
  await time.passUntil(() => expect(arrived().length).toBeGreaterThan(firstReads), {
    stepMs: STEP_MS,
  })
  paper.streams.addFault({ kind: 'cut', match: { stream: 'mexc-futures' } })
  await until('futures', 'reconciling', { stepMs: STEP_MS })
  expect(arrived().length).toBeLessThan(firstReads + READS)
  // An order that comes later is sent before the reads of the gap.
  const placing = bot.post(...restingCall(FORMS.rawMexcFutures, '40000'))
  const responses = await time.during(Promise.all([reading, placing]), { stepMs: STEP_MS })
  expect(responses.flat().map(({ statusCode }) => statusCode)).toEqual(Array(READS + 1).fill(200))
  const ofBots = arrived().slice(firstReads)
  expect(ofBots.filter(({ path }) => path.endsWith('/depth'))).toHaveLength(READS)
  expect(ofBots.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(ofBots).toHaveLength(READS + 1)
  expect(states('futures').at(-1)).toBe('reconciling')

  await until('futures', 'live', { stepMs: STEP_MS })
  expect(sockets('mexc-futures')).toHaveLength(1)
  expect(arrived().length).toBeGreaterThan(firstReads + READS + 1)
  const times = arrived().map(({ arrivedAtMonotonicMs }) => arrivedAtMonotonicMs)
  const spans = times.slice(RATE).map((ms, at) => ms - (times[at] ?? Number.NaN))
  expect(Math.min(...spans)).toBeGreaterThanOrEqual(1_000 - STEP_MS)
})
