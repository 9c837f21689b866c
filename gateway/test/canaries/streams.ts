import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { eventually } from '../support/eventually.ts'
import type { Bot } from './callers.ts'
import type { Canaries } from './canaries.ts'
import type { Product } from './product.ts'

/** The way to the sockets of the paper exchange, which can begin to send back what it gets. */
export interface EchoingSockets {
  readonly url: string
  isEcho: boolean
  /** The paths of the sockets on which something was sent back. */
  readonly echoed: Set<string>
  /** Ends all connections. */
  cut(): void
}

export async function echoingSockets(paperUrl: string): Promise<EchoingSockets> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const cut = () => {
    for (const client of server.clients) client.terminate()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sockets = { url, isEcho: false, echoed: new Set<string>(), cut }
  server.on('connection', (socket, request) => {
    if (!sockets.isEcho) return pass(socket, `${paperUrl.replace('http', 'ws')}${request.url}`)
    socket.on('message', (data) => {
      socket.send(refusal(request, `${data}`))
      sockets.echoed.add(pathOf(request))
    })
  })
  return sockets
}

const pathOf = ({ url = '' }: IncomingMessage) => url.split('?', 1)[0] ?? ''

/** In the words of each exchange, with all that came. */
function refusal(request: IncomingMessage, text: string): string {
  const said = `refused: ${text} ${request.url}`
  if (pathOf(request) === '/ws') return JSON.stringify({ id: 1, code: 0, msg: said })
  if (pathOf(request) === '/edge') return JSON.stringify({ channel: 'rs.error', data: said })
  return JSON.stringify({ event: 'error', code: 30005, msg: said })
}

function pass(from: WebSocket, url: string): void {
  const to = new WebSocket(url)
  const waiting: (() => void)[] = []
  const send = (data: RawData, binary: boolean) => to.send(data, { binary })
  from.on('message', (data, isBinary) => {
    if (to.readyState === to.OPEN) send(data, isBinary)
    else waiting.push(() => send(data, isBinary))
  })
  to.on('open', () => {
    for (const each of waiting) each()
  })
  to.on('message', (data, isBinary) => from.send(data, { binary: isBinary }))
  to.on('error', () => from.terminate())
  to.on('close', () => from.terminate())
  from.on('close', () => to.terminate())
}

const ORDERS = { instType: 'SPOT', channel: 'orders', instId: 'default' }
const FUTURES = { instType: 'UTA', topic: 'order' }
const subscribe = (arg: object) => ({ op: 'subscribe', args: [arg] })
const loginOf = (apiKey: string, passphrase: string) => ({
  ...{ op: 'login', args: [{ apiKey, passphrase, timestamp: '1', sign: apiKey }] },
})
const futuresLogin = (apiKey: string) => ({
  ...{ method: 'login', param: { apiKey, reqTime: '1', signature: apiKey } },
})
const CHANNEL = 'spot@private.orders.v3.api.pb'
const CHANNELS = { method: 'SUBSCRIPTION', params: [CHANNEL], id: 1 }

/** Bots hear of their accounts in every way, also with one secret in the place of another. */
export async function useStreams(
  product: Product,
  canaries: Canaries,
  bot: Bot,
  isUnified: boolean,
): Promise<void> {
  const { clientId, headers } = bot
  const token = (headers.authorization ?? '').replace('Bearer ', '')
  const [, secret = ''] = bot.secrets
  const listenKey = await getListenKey(product, canaries, bot)
  const [path, arg] = isUnified ? ['/bg/v3/ws/private', FUTURES] : ['/bg/v2/ws/private', ORDERS]
  const right = [
    product.socket('/api/streams/ws', { headers }, [{ type: 'token', token }]),
    product.socket('/api/streams/ws', { protocols: ['sluice', `sluice.bearer.${token}`] }, []),
    product.socket(path, {}, [loginOf(token, 'x'), subscribe(arg)]),
    product.socket(path, {}, [loginOf(clientId, secret), subscribe(arg)]),
    product.socket('/mx/edge', {}, [futuresLogin(token)]),
    product.socket(`/mx/ws?listenKey=${listenKey}`, {}, [CHANNELS]),
  ]
  await Promise.all(right.map((heard) => heard('"state":"live"|snapshotEnd|subscribe|rs.login|pb')))
  // Nobody waits for the refusals, which wait themselves.
  for (const wrong of [secret, listenKey]) {
    product.socket('/api/streams/ws', { headers }, [{ type: 'token', token: wrong }, wrong])
    product.socket(path, {}, [loginOf(wrong, clientId)])
    product.socket('/mx/edge', {}, [futuresLogin(wrong)])
    product.socket(`/mx/ws?listenKey=${wrong}`, {}, [CHANNELS])
    product.socket(`/api/streams/ws?after=${wrong}&token=${token}`, { headers }, [])
    product.socket(`/health/live?listenKey=${wrong}`, {}, [])
  }
  await product.fetch('GET', `/api/streams/events?after=${secret}&token=${token}`, { headers })
}

/** A listen key of the gateway, which is shown to its bot. */
async function getListenKey(product: Product, canaries: Canaries, bot: Bot): Promise<string> {
  const call = (method: string, query = '') =>
    product.fetch(method, `/api/v3/userDataStream${query}`, { headers: bot.headers })
  const made = await call('POST')
  const { listenKey } = made.json
  const all = [made, await call('GET'), await call('PUT', `?listenKey=${listenKey}`)]
  const shown = all.map(({ where }) => ({ where, reason: 'a bot gets its listen key' }))
  return canaries.plant('listen key', listenKey, ...shown)
}

/** Exchanges that refuse each login with all that they got. */
export async function useEchoOfSockets(sockets: EchoingSockets): Promise<void> {
  sockets.isEcho = true
  sockets.cut()
  const paths = ['/edge', '/v2/ws/private', '/v3/ws/private', '/ws']
  await eventually(() => expect([...sockets.echoed].toSorted()).toEqual(paths.toSorted()))
  sockets.isEcho = false
}
