import { expect, test } from 'vitest'
import { streamingGateway } from '../support/account-streams.ts'
import { botOf } from '../support/bot-of.ts'

const CREATE = '/mx/api/v1/private/order/create'
const order = { symbol: 'BTC_USDT', leverage: 20, openType: 2, vol: 100, price: 60_000 }

test('a position in contracts is published in the base coin too, once the size of a contract was read', async () => {
  const world = await streamingGateway()
  const { paper, time, of, until } = world
  const bot = await botOf(world)
  const place = (fields: object) => bot.post(CREATE, { ...order, ...fields })
  await place({ side: 1, type: 1, price: 30_000 })
  await until('futures', 'live')
  const details = () => paper.received().filter(({ path }) => path.endsWith('/contract/detail'))
  expect(details()).toEqual([])
  const published = () => of('position').map(({ data }) => [data.contracts, data.quantity])
  await place({ side: 1, type: 5 })
  await time.passUntil(() => expect(published().at(-1)).toEqual(['100', '0.01']))
  expect(details()).toHaveLength(1)
  // It was published at once, before the size was known.
  expect(published()[0]).toEqual(['100', null])
  await place({ side: 1, type: 5 })
  await time.passUntil(() => expect(published().at(-1)).toEqual(['200', '0.02']))
  await place({ side: 4, type: 5, vol: 200 })
  await time.passUntil(() => expect(published().at(-1)).toEqual(['0', '0']))
  expect(published()).toHaveLength(4)
  expect(details()).toHaveLength(1)
})
