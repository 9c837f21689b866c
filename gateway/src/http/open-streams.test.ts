import { EventEmitter } from 'node:events'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { createSetTime } from '../../test/support/set-time.ts'
import { OpenStreams } from './open-streams.ts'
import { markPassed } from './request-origin.ts'

const PASSED = { requestId: '', address: '', nodeId: '' }

/** Streams of bots that end when they are asked to, or never. */
function opened(numbers: { direct: number; passed: number; deaf: number }) {
  const time = createSetTime({ passesByItselfMs: 0 })
  const ended: string[] = []
  const streams = new OpenStreams(time, (kind, why) => void ended.push(`${kind} ${why}`))
  const codes: number[] = []
  const open = (isPassed: boolean, isDeaf = false) => {
    const raw = {} as FastifyRequest['raw']
    if (isPassed) markPassed(raw, PASSED)
    const request = { raw, routeOptions: { config: { stream: 'websocket' } } }
    const socket = Object.assign(new EventEmitter(), {
      close(code: number) {
        codes.push(code)
        if (!isDeaf) socket.emit('close')
      },
      terminate: () => socket.emit('close'),
    })
    const noteEnd = streams.addSocket(request as FastifyRequest, socket as unknown as WebSocket)
    return { noteEnd, socket }
  }
  for (let n = 0; n < numbers.direct; n += 1) open(false)
  for (let n = 0; n < numbers.passed; n += 1) open(true)
  for (let n = 0; n < numbers.deaf; n += 1) open(false, true)
  return { time, streams, codes, ended, open, count: () => streams.count('websocket', 'here') }
}

test('a drain ends the streams of bots that are connected here one after another, and keeps those that other nodes pass', async () => {
  const { time, streams, count } = opened({ direct: 100, passed: 10, deaf: 0 })
  streams.leave(10_000)
  expect(count()).toBe(109)
  await time.advance(5_000)
  expect(count()).toBeGreaterThan(50)
  expect(count()).toBeLessThan(70)
  await time.advance(5_000)
  expect(count()).toBe(10)
})

test('a stop ends all streams with 1012 within two seconds, and cuts off who does not close', async () => {
  const { time, streams, codes, ended, open, count } = opened({ direct: 900, passed: 99, deaf: 1 })
  const closed = streams.close()
  await time.advance(1_000)
  expect(count()).toBeGreaterThan(300)
  expect(count()).toBeLessThan(700)
  await time.advance(1_000)
  expect([count(), new Set(codes)]).toEqual([1, new Set([1012])])
  // Its request came before the stop.
  open(false)
  await time.advance(1_100)
  await closed
  expect([count(), ended.length, new Set(ended)]).toEqual([
    ...[0, 1001, new Set(['websocket restart'])],
  ])
})

test('why the gateway closed a stream is counted, also where the bot reads nothing', () => {
  const { ended, open } = opened({ direct: 0, passed: 0, deaf: 0 })
  const slow = open(false)
  slow.noteEnd(4408)
  slow.socket.terminate()
  open(false).socket.emit('close')
  expect(ended).toEqual(['websocket slow', 'websocket bot'])
})
