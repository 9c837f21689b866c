import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createSetTime } from '../../test/support/set-time.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { FeedFrame, FeedProtocol } from '../exchanges/feed.ts'
import { Gate } from './dial-pace.ts'
import { ReconnectingSocket, type ReconnectingSocketDeps } from './reconnecting-socket.ts'

const MINUTE_MS = 60_000
const callOf = (method: UpstreamCall['method'], listenKey = ''): UpstreamCall => ({
  ...{ family: 'mexc-spot', method, path: '/key', query: listenKey, body: null, signed: true },
})

/** A feed of which every frame is JSON of what it means; its key is in the URL. */
const protocol: FeedProtocol = {
  ...{ name: 'mexc-spot', family: 'mexc-spot', markets: ['spot'] },
  pathOf: (listenKey) => `/ws?listenKey=${listenKey}`,
  listenKeys: {
    create: () => callOf('POST'),
    read: (data) => String(data),
    extend: (listenKey) => callOf('PUT', listenKey),
    remove: (listenKey) => callOf('DELETE', listenKey),
    extendEveryMs: 30 * MINUTE_MS,
  },
  ...{ subscribe: ['subscribe'], channels: ['orders'] },
  ...{ ping: 'ping', pingEveryMs: 9 * MINUTE_MS, silentAfterMs: 24 * 60 * MINUTE_MS },
  lifeMs: 3 * 60 * MINUTE_MS,
  read: (data) => JSON.parse(`${data}`) as FeedFrame,
  readOrder: () => {
    throw new Error('Not asked')
  },
  repairReads: () => [],
}

/** One kept socket in front of an exchange that confirms, and gives this listen key each time. */
async function keptSocket(keyOf: (made: number) => string) {
  const time = createSetTime({ passesByItselfMs: 0 })
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const sockets: { readonly socket: WebSocket; readonly frames: string[] }[] = []
  server.on('connection', (socket) => {
    const frames: string[] = []
    sockets.push({ socket, frames })
    socket.on('message', (data) => {
      frames.push(`${data}`)
      if (`${data}` === 'subscribe') socket.send('{"kind":"subscribed","channel":"orders"}')
    })
  })
  const calls: string[] = []
  const state = { made: 0, canExtend: true }
  const keys = { rowId: 1, accountRef: 1, keys: { apiKey: '', apiSecret: '' }, accountKind: null }
  const deps = {
    upstream: {
      time: { sync: async () => true },
      async send(_context: unknown, { method, query }: UpstreamCall) {
        calls.push(`${method} ${query}`.trim())
        if (method === 'POST') state.made += 1
        const kind = method === 'PUT' && !state.canExtend ? 'unknown' : 'ok'
        return { verdict: { kind, data: keyOf(state.made) } }
      },
    },
    clock: { nowMs: () => time.now(), markStale() {} },
    keys: { open: async () => keys },
    clients: { find: async () => ({ clientId: 'bot' }) },
    ...{ time, random: () => 0, events: { emit() {} } },
    origin: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dials: new Gate({ atOnce: 10 }, time),
  } as unknown as ReconnectingSocketDeps
  const happened: string[] = []
  const account = {
    exchange: 'mx',
    lead: 1,
    rowId: 1,
    accountRef: 1,
    clients: [1],
    rank: 0,
  } as const
  const kept = new ReconnectingSocket(deps, account, protocol, {
    up: () => happened.push('up'),
    down: (reason) => happened.push(`down: ${reason}`),
    ...{ pushed() {}, unreadable() {}, keysChanged() {} },
  })
  onTestFinished(() => kept.close())
  kept.start()
  const open = () => sockets.filter(({ socket }) => socket.readyState === socket.OPEN).length
  await expect.poll(() => happened).toEqual(['up'])
  return { time, kept, calls, state, happened, sockets, open }
}

test('a connection gets its successor an hour before the exchange would end it, and both push for a second', async () => {
  const { time, happened, open, sockets, calls } = await keptSocket((made) => `key${made}`)
  await time.advance(119 * MINUTE_MS)
  expect(sockets).toHaveLength(1)
  await time.advance(MINUTE_MS)
  await expect.poll(() => happened).toEqual(['up', 'up'])
  expect(open()).toBe(2)
  await time.advance(1_000)
  await expect.poll(open).toBe(1)
  await expect.poll(() => calls.at(-1)).toBe('DELETE key1')
  expect(calls.filter((call) => call === 'PUT key1')).toHaveLength(4)
})

test('a listen key that cannot be extended twice is lost: the next connection has another one', async () => {
  const { time, happened, state, calls } = await keptSocket((made) => `key${made}`)
  state.canExtend = false
  await time.advance(30 * MINUTE_MS)
  expect(happened).toEqual(['up'])
  await time.advance(5 * MINUTE_MS)
  await expect.poll(() => happened).toEqual(['up', 'down: disconnected'])
  await time.advance(1_000)
  await expect.poll(() => happened.at(-1)).toBe('up')
  expect(calls).toEqual(['POST', 'PUT key1', 'PUT key1', 'DELETE key1', 'POST'])
})

test('a listen key that the exchange gives twice is not deleted while a socket uses it', async () => {
  const { time, happened, kept, calls } = await keptSocket(() => 'same')
  await time.advance(121 * MINUTE_MS)
  await expect.poll(() => happened).toEqual(['up', 'up'])
  await time.advance(2_000)
  expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual([])
  await kept.close()
  await kept.idle()
  expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual(['DELETE same'])
})

test('messages go out at the pace that Bitget allows', async () => {
  const { time, sockets, kept } = await keptSocket(() => 'key')
  const [{ frames } = { frames: [] }] = sockets
  for (let count = 0; count < 20; count += 1) kept.subscribeAgain()
  await time.advance(999)
  await expect.poll(() => frames.length).toBe(8)
  await time.advance(1)
  await expect.poll(() => frames.length).toBe(16)
})
