import { expect, test } from 'vitest'
import { systemTime } from '../time.ts'
import { createTimings } from './request-context.ts'
import { QueueWait } from './waiting.ts'

const options = { name: 'Bitget', maxQueueWaitMs: 60_000, time: systemTime }
const of = (clientRef: number) => ({ clientRef, timings: createTimings() })

test('a client has so many waiting for their turn, and another client as many', async () => {
  const wait = new QueueWait({ ...options, clientWaitingMax: 2 })
  const turn = Promise.withResolvers<void>()
  const waiting = [1, 1, 2].map((clientRef) => wait.forTurn(turn.promise, of(clientRef)))
  await expect(wait.forTurn(turn.promise, of(1))).rejects.toMatchObject({
    code: 'CLIENT_QUEUE_SHARE_EXCEEDED',
    sent: false,
  })
  turn.resolve()
  await Promise.all(waiting)
  await wait.forTurn(turn.promise, of(1))
})

test('a hang-up ends the waiting at once and gives the place back', async () => {
  const wait = new QueueWait({ ...options, clientWaitingMax: 1 })
  const never = new Promise(() => {})
  const hangUp = new AbortController()
  const waiting = wait.forTurn(never, { ...of(1), signal: hangUp.signal })
  hangUp.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'CALLER_GONE', sent: false })
  await wait.forTurn(Promise.resolve(), of(1))
})
