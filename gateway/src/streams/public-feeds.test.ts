import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createSetTime } from '../../test/support/set-time.ts'
import { DIAL_LIMITS, Gate } from './dial-pace.ts'
import { PublicFeeds } from './public-feeds.ts'
import { bitgetTopic, mexcFuturesTopic } from './public-protocols.ts'

// An exchange that takes every subscription, and pushes what the test says.

async function world() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: { socket: WebSocket; frames: { op?: string; args: object[] }[] }[] = []
  server.on('connection', (socket) => {
    const frames: { op?: string; args: object[] }[] = []
    sockets.push({ socket, frames })
    socket.on('message', (data: Buffer) => {
      if (data.toString() === 'ping') return socket.send('pong')
      const frame = JSON.parse(data.toString())
      frames.push(frame)
      if (frame.op === 'subscribe')
        for (const arg of frame.args) socket.send(JSON.stringify({ event: 'subscribe', arg }))
      if (frame.method !== undefined)
        socket.send(JSON.stringify({ channel: `rs.${frame.method}`, data: 'success' }))
      return undefined
    })
  })
  const time = createSetTime()
  const origin = `ws://127.0.0.1:${port}`
  const feeds = new PublicFeeds({
    origins: { 'mexc-spot': origin, 'mexc-futures': origin, bitget: origin },
    gates: { mx: new Gate(DIAL_LIMITS.mx, time), bg: new Gate(DIAL_LIMITS.bg, time) },
    time,
    onNote: () => {},
  })
  onTestFinished(() => feeds.close())
  const pass = <T>(check: () => T) => time.passUntil(check, { unlessMs: Number.NaN })
  return { feeds, sockets, time, pass }
}

const arg = (channel: string, instId: string) => ({ instType: 'SPOT', channel, instId })
const topic = (channel: string, instId = 'BTCUSDT') => bitgetTopic(2, arg(channel, instId))

/** The calls that a listener of a topic receives, in order. */
function listenerOf(clientRef = 1) {
  const received: unknown[] = []
  return {
    ...{ clientRef, received },
    accepted: () => void received.push('accepted'),
    refused: (message: string) => void received.push(message),
    push: (raw: string | Buffer) => void received.push(JSON.parse(raw.toString()).data),
    interrupted: () => void received.push('interrupted'),
  }
}

const push = (socket: WebSocket | undefined, action: string, channel: string, data: unknown) =>
  socket?.send(JSON.stringify({ action, arg: arg(channel, 'BTCUSDT'), data }))

test('a connection has at most 45 channels, subscribed to in few frames; the others have another one', async () => {
  const { feeds, sockets, pass } = await world()
  const bots = Array.from({ length: 60 }, () => listenerOf())
  for (const [at, bot] of bots.entries()) feeds.subscribe(topic('ticker', `COIN${at}`), bot)
  await pass(() => expect(bots.every(({ received }) => received[0] === 'accepted')).toBe(true))
  const counts = sockets.map(({ frames }) => frames.flatMap(({ args }) => args).length)
  expect(counts.toSorted((a, b) => b - a)).toEqual([45, 15])
  expect(sockets.every(({ frames }) => frames.length <= 2)).toBe(true)
})

test('a connection that has used its requests of the hour passes new channels on', async () => {
  const { feeds, sockets, time, pass } = await world()
  feeds.subscribe(topic('ticker', 'ALWAYS'), listenerOf())
  for (let asked = 0; asked < 231; asked += 1) {
    const bot = listenerOf()
    const stop = feeds.subscribe(topic('ticker', `COIN${asked}`), bot)
    await pass(() => expect(bot.received).toEqual(['accepted']))
    stop()
    if (asked % 40 === 39) await time.advance(31_000)
  }
  const asks = sockets.map(({ frames }) => frames.filter(({ op }) => op === 'subscribe').length)
  // The exchange allows 240. The first frame had two.
  expect(asks).toEqual([230, 1])
})

test('a late joiner of a book gets the snapshot and what came since; where that was too much, a new one is asked for', async () => {
  const { feeds, sockets, pass } = await world()
  const [first, second, third] = [listenerOf(), listenerOf(), listenerOf()]
  feeds.subscribe(topic('books'), first)
  await pass(() => expect(first.received).toEqual(['accepted']))
  const [{ socket, frames } = { socket: undefined, frames: [] }] = sockets
  push(socket, 'snapshot', 'books', 'whole')
  push(socket, 'update', 'books', 1)
  await pass(() => expect(first.received).toEqual(['accepted', 'whole', 1]))
  feeds.subscribe(topic('books'), second)
  expect(second.received).toEqual(['accepted', 'whole', 1])
  for (let update = 2; update < 450; update += 1) push(socket, 'update', 'books', update)
  await pass(() => expect(first.received.at(-1)).toBe(449))
  feeds.subscribe(topic('books'), third)
  await pass(() =>
    expect(frames.map(({ op }) => op).slice(-2)).toEqual(['unsubscribe', 'subscribe']),
  )
  push(socket, 'update', 'books', 450)
  push(socket, 'snapshot', 'books', 'again')
  await pass(() => expect(third.received).toEqual(['accepted', 'again']))
  expect(second.received.slice(-2)).toEqual([450, 'again'])
})

test('after a lost connection, a listener of prices continues, and one that needs each push is informed', async () => {
  const { feeds, sockets, pass } = await world()
  const [prices, trades] = [listenerOf(), listenerOf()]
  feeds.subscribe(topic('ticker'), prices)
  feeds.subscribe(topic('trade'), trades)
  await pass(() => expect([prices.received, trades.received]).toEqual([['accepted'], ['accepted']]))
  sockets[0]?.socket.terminate()
  await pass(() => expect(trades.received).toEqual(['accepted', 'interrupted']))
  push(sockets[1]?.socket, 'snapshot', 'ticker', 'price')
  await pass(() => expect(prices.received).toEqual(['accepted', 'price']))
})

test('no client uses up the connections of the others, neither with channels nor with forms of one', async () => {
  const { feeds, time } = await world()
  const ask = (asked: ReturnType<typeof topic>, clientRef = 1) => {
    const bot = listenerOf(clientRef)
    return { bot, stop: feeds.subscribe(asked, bot) }
  }
  const isRefused = ({ bot }: ReturnType<typeof ask>) =>
    bot.received.some((each) => `${each}`.startsWith('This client has begun too many channels'))
  const ticker = (at: number) => topic('ticker', `COIN${at}`)
  // One after another is no way around it.
  for (let at = 0; at < 300; at += 1) {
    const asked = ask(ticker(at))
    if (at > 0) asked.stop()
    expect(isRefused(asked)).toBe(false)
  }
  expect([ask(ticker(300)), ask(ticker(300), 2), ask(ticker(300))].map(isRefused)).toEqual([
    ...[true, false, false],
  ])
  const depth = (limit: number) => mexcFuturesTopic('depth', { symbol: 'BTC_USDT', limit })
  const forms = Array.from({ length: 6 }, (_, at) => isRefused(ask(depth(at))))
  expect(forms).toEqual([false, false, false, false, false, true])
  await time.advance(601_000)
  expect(isRefused(ask(ticker(301)))).toBe(false)
})

test('two forms of one channel of MEXC futures, whose pushes look the same, have two connections', async () => {
  const { feeds, sockets, pass } = await world()
  const bots = [listenerOf(), listenerOf()]
  for (const [at, bot] of bots.entries())
    feeds.subscribe(mexcFuturesTopic('depth', { symbol: 'BTC_USDT', compress: at === 0 }), bot)
  await pass(() =>
    expect(bots.map(({ received }) => received)).toEqual([['accepted'], ['accepted']]),
  )
  expect(sockets).toHaveLength(2)
})
