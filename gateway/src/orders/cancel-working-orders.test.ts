import { expect, test } from 'vitest'
import { systemTime } from '../time.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import { OrderCanceller } from './cancel-working-orders.ts'

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
  expect(left).toMatchObject([{ message: expect.stringContaining('outcome of 1 order(s)') }])
  expect(notRead).toEqual([])
})
