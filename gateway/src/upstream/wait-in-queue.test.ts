import { expect, test } from 'vitest'
import { systemTime } from '../time.ts'
import { QueueEntrance } from './wait-in-queue.ts'

const patient = { leftMs: 60_000, late: () => new Error('late') }

test('a client has so many waiting for their turn, and another client as many', async () => {
  const entrance = new QueueEntrance({ name: 'Bitget', clientMax: 2, time: systemTime })
  const turn = Promise.withResolvers<void>()
  const waiting = [1, 1, 2].map((clientRef) => entrance.wait(turn.promise, { clientRef }, patient))
  await expect(entrance.wait(turn.promise, { clientRef: 1 }, patient)).rejects.toMatchObject({
    code: 'CLIENT_QUEUE_SHARE_EXCEEDED',
    sent: false,
  })
  turn.resolve()
  await Promise.all(waiting)
  await entrance.wait(turn.promise, { clientRef: 1 }, patient)
})

test('a hang-up ends the waiting at once and gives the place back', async () => {
  const entrance = new QueueEntrance({ name: 'Bitget', clientMax: 1, time: systemTime })
  const never = new Promise(() => {})
  const hangUp = new AbortController()
  const waiting = entrance.wait(never, { clientRef: 1, signal: hangUp.signal }, patient)
  hangUp.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'CALLER_GONE', sent: false })
  await entrance.wait(Promise.resolve(), { clientRef: 1 }, patient)
})
