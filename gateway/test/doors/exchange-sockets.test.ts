import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { sharedSluice, tokenOf } from './sluice.ts'

const sluice = sharedSluice()

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
type Frame = any

interface DialOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
}

async function dial(path: string, { headers = {}, protocols = [] }: DialOptions = {}) {
  const socket = new WebSocket(`${sluice().url.replace('http', 'ws')}${path}`, [...protocols], {
    headers,
  })
  onTestFinished(() => socket.terminate())
  const frames: Frame[] = []
  let closed: { code: number; reason: string } | undefined
  socket.on('message', (data: Buffer, isBinary) => {
    const text = data.toString()
    frames.push(isBinary ? data : text.startsWith('{') ? JSON.parse(text) : text)
  })
  socket.on('close', (code, reason) => {
    closed = { code, reason: reason.toString() }
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return {
    socket,
    frames,
    closed: () => closed,
    send: (frame: object | string) =>
      socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async next(isWanted: (frame: Frame) => boolean): Promise<Frame> {
      await expect.poll(() => frames.some(isWanted), { timeout: 5_000, interval: 5 }).toBe(true)
      return frames.find(isWanted)
    },
  }
}

test('public channels', async () => {
  const { bot } = sluice()
  const bg = await dial('/bg/v2/ws/public', { headers: bot.headers })
  bg.send('ping')
  await bg.next((frame) => frame === 'pong')
  const arg = { instType: 'SPOT', channel: 'books', instId: 'BTCUSDT' }
  bg.send({ op: 'subscribe', args: [arg], uta: true })
  await bg.next((f) => f.event === 'subscribe')
  await bg.next((f) => f.action === 'snapshot')
  const late = await dial('/bg/v2/ws/private', { headers: bot.headers })
  late.send({ op: 'subscribe', args: [arg, { ...arg, instId: 'NOPE' }] })
  await late.next((f) => f.action === 'snapshot')
  await late.next((f) => f.event === 'error')
  const mx = await dial('/mx/ws', { protocols: [`sluice.bearer.${tokenOf(bot)}`] })
  mx.send({ method: 'ping' })
  mx.send({
    method: 'SUBSCRIPTION',
    id: 7,
    params: ['spot@public.aggre.bookTicker.v3.api.pb@100ms@BTCUSDT', 'spot@public.nope'],
  })
  await mx.next((f) => Buffer.isBuffer(f))
  const edge = await dial('/mx/edge')
  edge.send({
    method: 'login',
    param: { apiKey: tokenOf(bot), signature: 'x', reqTime: '1' },
    subscribe: false,
  })
  edge.send({ method: 'sub.ticker', param: { symbol: 'BTC_USDT' } })
  await edge.next((f) => f.channel === 'push.ticker')
  console.log(
    bg.frames.slice(0, 3).map((f) => JSON.stringify(f).slice(0, 200)),
    late.frames.map((f) => JSON.stringify(f).slice(0, 200)),
    mx.frames.slice(0, 4),
    edge.frames,
  )
  console.log(sluice().paper.streams.list())
})
