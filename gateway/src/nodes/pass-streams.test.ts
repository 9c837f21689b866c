import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import fastifyWebsocket from '@fastify/websocket'
import Fastify, { type FastifyInstance } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../../test/support/eventually.ts'
import { createSetTime, type SetTime } from '../../test/support/set-time.ts'
import { OpenStreams } from '../http/open-streams.ts'
import { takePassedRequests } from '../http/request-origin.ts'
import { createNodeKeys } from '../vault/key-ring.ts'
import { toMasterKey } from '../vault/master-key.ts'
import { listenToNodes } from './channel.ts'
import type { OwnerView } from './ownership.ts'
import { passRequests } from './pass-requests.ts'
import { FrameEnds, PassStreams } from './pass-streams.ts'
import { Passing } from './passing.ts'

/** A node whose routes have one stream of each form. */
async function node(
  keys: ReturnType<typeof createNodeKeys>,
  view: OwnerView,
  name: string,
  time: SetTime,
) {
  const app: FastifyInstance = Fastify({ genReqId: () => randomUUID() })
  app.decorateRequest('timings', null)
  takePassedRequests(app)
  const streams = new OpenStreams(time)
  streams.watch(app)
  const passing = new Passing({ keys, timeoutMs: 5_000, time })
  const toOwner = { ownerView: view, passing, nodeId: `https://${name}`, onPassed: vi.fn(), time }
  const passed = new PassStreams(app, { ...toOwner, streams })
  passRequests(app, {
    ...toOwner,
    parked: { owner: vi.fn(), refused: vi.fn() },
    endHandedOver: async () => false,
    passStream: (request, reply) => passed.pass(request, reply),
  })
  await app.register(fastifyWebsocket, { preClose: (done) => done() })
  const sockets: WebSocket[] = []
  app.route({
    ...{ method: 'GET', url: '/ws', config: { stream: 'websocket' } },
    handler: (_request, reply) => reply.code(426).send('not a WebSocket'),
    wsHandler(socket, request) {
      streams.addSocket(request, socket)
      sockets.push(socket)
      socket.send(`${name} ${request.ip} ${request.id}`)
      socket.on('message', (data, binary) => socket.send(data, { binary }))
    },
  })
  app.route({
    ...{ method: 'GET', url: '/sse', config: { stream: 'sse' } },
    handler(request, reply) {
      if (request.headers.authorization === 'none') return reply.code(401).send({ code: 'NO' })
      reply.hijack()
      reply.raw
        .writeHead(200, { 'content-type': 'text/event-stream', 'x-from': name })
        .flushHeaders()
      streams.addEvents(request, reply)
      reply.raw.write(`data: ${request.ip}\n\n`)
      return reply
    },
  })
  await app.ready()
  const nodeId = name
  const listening = { host: '127.0.0.1', port: 0, canWrite: () => true, keys, nodeId, time }
  const listener = await listenToNodes(app, listening)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  onTestFinished(async () => {
    await time.fly(streams.close())
    await passing.close()
    await time.fly(listener.close())
    await app.close()
  })
  return { streams, sockets, port, nodePort: listener.port }
}

async function twoNodes() {
  const key = toMasterKey(randomBytes(32).toString('base64'), 'test')
  const ring = { keys: () => [key], find: () => key }
  const known: { owner: ReturnType<OwnerView['owner']> } = { owner: undefined }
  const keys = createNodeKeys(ring)
  const time = createSetTime()
  const owner = await node(keys, { owner: () => 'self' }, 'owner', time)
  const asked = await node(keys, { owner: () => known.owner }, 'asked', time)
  const remote = { nodeId: 'owner', url: `https://127.0.0.1:${owner.nodePort}`, fence: 1 }
  known.owner = remote
  const open = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${asked.port}/ws`)
    onTestFinished(() => socket.terminate())
    const messages: string[] = []
    socket.on('message', (data) => messages.push(`${data}`))
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    const refused = once(socket, 'unexpected-response').then(
      ([, response]) => (response as IncomingMessage).statusCode,
    )
    refused.catch(() => {})
    const opened = await Promise.race([once(socket, 'open').then(() => 101), refused])
    return { socket, messages, closed, opened }
  }
  const events = (headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${asked.port}/sse`, { headers })
  return { owner, asked, known, remote, time, open, events }
}

test('a WebSocket that reaches another node is the owner’s, with frames in both directions', async () => {
  const { owner, asked, open } = await twoNodes()
  const { socket, messages, closed } = await open()
  await eventually(() => expect(messages[0]).toMatch(/^owner 127\.0\.0\.1 /))
  const large = 'y'.repeat(200_000)
  for (const text of ['a', large]) socket.send(text)
  await eventually(() => expect(messages.slice(1)).toEqual(['a', large]))
  expect(asked.streams.count('websocket', 'passed-on')).toBe(1)
  expect(owner.streams.count('websocket', 'here')).toBe(1)

  owner.sockets[0]?.close(4401, 'expired')
  expect(await closed).toBe(4401)
  await eventually(() => expect(asked.streams.count('websocket', 'passed-on')).toBe(0))
})

test('events come as the owner writes them, and a bot that hangs up ends them there', async () => {
  const { owner, events } = await twoNodes()
  const response = await events()
  expect(response.headers.get('x-from')).toBe('owner')
  const reader = response.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 127.0.0.1\n\n')
  await reader?.cancel()
  await eventually(() => expect(owner.streams.count('sse', 'here')).toBe(0))
  const refused = await events({ authorization: 'none' })
  expect([refused.status, await refused.json()]).toEqual([401, { code: 'NO' }])
})

test('when another node is the owner, each stream ends so that its bot connects again', async () => {
  const { known, time, open, events } = await twoNodes()
  const { messages, closed } = await open()
  await eventually(() => expect(messages).toHaveLength(1))
  const response = await events()
  known.owner = { nodeId: 'third', url: 'https://127.0.0.1:1', fence: 2 }
  await time.advance(500)
  expect(await closed).toBe(1012)
  expect(await response.text()).toBe('data: 127.0.0.1\n\n')
})

test('without an owner, or one that can be reached, a stream is refused and not kept', async () => {
  const { known, open, events, owner, remote } = await twoNodes()
  known.owner = { ...remote, nodeId: 'earlier run' }
  expect([(await events()).status, (await open()).opened]).toEqual([503, 503])
  known.owner = { nodeId: 'gone', url: 'https://127.0.0.1:1', fence: 2 }
  expect([(await events()).status, (await open()).opened]).toEqual([503, 503])
  known.owner = undefined
  expect([(await events()).status, (await open()).opened]).toEqual([503, 503])
  expect(owner.sockets).toHaveLength(0)
})

test('the owner breaks down in the middle of a frame: the connection ends without a close frame', () => {
  const frames = new FrameEnds()
  const whole = Buffer.concat([Buffer.from([0x81, 126, 1, 0]), Buffer.alloc(256)])
  for (const byte of whole.subarray(0, 100)) frames.read(Buffer.from([byte]))
  expect(frames.areWhole).toBe(false)
  frames.read(whole.subarray(100))
  expect([frames.areWhole, frames.hasClosed]).toEqual([true, false])
  const long = Buffer.concat([
    Buffer.from([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
    Buffer.alloc(65_536),
  ])
  frames.read(Buffer.concat([long, Buffer.from([0x88, 2])]))
  expect([frames.areWhole, frames.hasClosed]).toEqual([false, true])
})

test('what a bot does not read waits at the owner, not in the node between them', async () => {
  const { owner, open } = await twoNodes()
  const { socket, messages } = await open()
  await eventually(() => expect(messages).toHaveLength(1))
  socket.pause()
  const large = 'x'.repeat(1_000_000)
  for (let n = 0; n < 40; n += 1) owner.sockets[0]?.send(large)
  // The system's own buffers take some MB.
  for (let n = 0; n < 20; n += 1) await setImmediate()
  expect(owner.sockets[0]?.bufferedAmount).toBeGreaterThan(20_000_000)
  socket.resume()
  await eventually(() => expect(messages).toHaveLength(41))
})

test('a node that stops closes the streams that it passes', async () => {
  const { asked, owner, time, open } = await twoNodes()
  const { closed, messages } = await open()
  await eventually(() => expect(messages).toHaveLength(1))
  await time.during(asked.streams.close())
  expect(await closed).toBe(1012)
  await eventually(() => expect(owner.streams.count('websocket', 'here')).toBe(0))
})
