import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { bitgetClassicFeed } from '../exchanges/bitget/classic/feed.ts'
import type { FeedProtocol } from '../exchanges/feed.ts'
import { mexcFuturesFeed } from '../exchanges/mexc-futures/feed.ts'
import { mexcSpotFeed } from '../exchanges/mexc-spot/feed.ts'
import { systemTime } from '../time.ts'
import { FeedSocket } from './feed-socket.ts'

const KEYS = { apiKey: 'bg_0123456789abcdef', apiSecret: 'a-secret', passphrase: 'p"ss word' }
const LISTEN_KEY = '5f4c0f3a/9e8d7c6b5a49382716=='

/** All that a socket says of an exchange whose frames repeat what they got. */
async function resultOf(protocol: FeedProtocol, respond: (frame: string) => readonly string[]) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      for (const frame of respond(`${data}`)) socket.send(frame)
    }),
  )
  const said: unknown[] = []
  const note = (...what: unknown[]) => void said.push(what)
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = new FeedSocket({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}${protocol.pathOf(LISTEN_KEY)}`,
    ...{ protocol, time: systemTime },
    login: protocol.login && (async () => protocol.login?.(KEYS, 1_772_721_022_000) ?? ''),
    listener: {
      ...{ dialled() {}, ready: note, push: note, notSubscribed: note, ending: note },
      unreadable(why) {
        note(why)
        resolve()
      },
      ended(end) {
        note(end)
        resolve()
      },
    },
  })
  await promise
  await socket.close()
  return JSON.stringify(said)
}

/** The frame alone, and within a text. */
const error = (code: number, frame: string) =>
  JSON.stringify({ event: 'error', code, msg: `bad apiKey or sign: ${frame}` })
const isLogin = (frame: string) => frame.includes('login')

test.each<[string, FeedProtocol, (frame: string) => readonly string[]]>([
  ['a login', bitgetClassicFeed, (frame) => [error(30005, frame)]],
  [
    'a subscription',
    bitgetClassicFeed,
    (frame) => (isLogin(frame) ? ['{"event":"login","code":0}'] : [error(30016, KEYS.apiKey)]),
  ],
  [
    'a login of MEXC',
    mexcFuturesFeed,
    (frame) => [JSON.stringify({ channel: 'rs.error', data: frame })],
  ],
  [
    'a listen key',
    mexcSpotFeed,
    () => [JSON.stringify({ msg: LISTEN_KEY, id: 1 }), `Invalid listen key: ${LISTEN_KEY}`],
  ],
])('an exchange that repeats %s brings no secret into logs and alerts', async (_, ...of) => {
  const said = await resultOf(...of)
  expect(said).toContain('[redacted]')
  const secrets = [KEYS.apiKey, 'p\\"ss word', 'p\\\\\\"ss', LISTEN_KEY, '0123456789', '9e8d7c6b']
  expect(secrets.filter((secret) => said.includes(secret))).toEqual([])
  // A signature has 64 digits, or ends as base64 of 32 bytes does.
  expect(said).not.toMatch(/[0-9a-f]{40}|[\w+/]{40}=/)
})
