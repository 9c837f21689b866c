import { expect, test } from 'vitest'
import { createLine } from './wait-in-queue.ts'

const patient = { leftMs: 60_000, late: () => new Error('late') }

test('a client has so many waiting for their turn, and another client as many', async () => {
  const line = createLine({ name: 'Bitget', clientMax: 2 })
  const turn = Promise.withResolvers<void>()
  const waiting = [1, 1, 2].map((clientRef) => line(turn.promise, { clientRef }, patient))
  await expect(line(turn.promise, { clientRef: 1 }, patient)).rejects.toMatchObject({
    code: 'CLIENT_QUEUE_SHARE_EXCEEDED',
    sent: false,
  })
  turn.resolve()
  await Promise.all(waiting)
  await line(turn.promise, { clientRef: 1 }, patient)
})

test('a hang-up ends the waiting at once and gives the place back', async () => {
  const line = createLine({ name: 'Bitget', clientMax: 1 })
  const never = new Promise(() => {})
  const hangUp = new AbortController()
  const waiting = line(never, { clientRef: 1, signal: hangUp.signal }, patient)
  hangUp.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'CALLER_GONE', sent: false })
  await line(Promise.resolve(), { clientRef: 1 }, patient)
})
