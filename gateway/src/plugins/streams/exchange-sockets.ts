import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { mxDropIn, type Permission } from 'schema'
import type { WebSocket } from 'ws'
import type { Parts } from '../../app/create-parts.ts'
import type { StreamKind } from '../../http/open-streams.ts'
import { ListenKeys } from '../../streams/listen-keys.ts'
import { BitgetSession } from './bitget-sockets.ts'
import type { BotSession, BotSocket, BotSockets } from './bot-sockets.ts'
import { MexcFuturesSession, MexcSpotSession, spotCallerOf } from './mexc-sockets.ts'
import { ListenKeyInvalidError } from './refusals.ts'

type SocketParts = Pick<Parts, 'openStreams' | 'nowMs' | 'stores' | 'streams' | 'time'> & {
  readonly sockets: BotSockets
}

const LISTEN_KEY_PATH = '/api/v3/userDataStream'

/**
 * The exchanges' own WebSockets, and MEXC's calls for a listen key: a program for the exchange
 * only changes the address. Nothing that a bot sends goes to the exchange.
 */
export const exchangeSockets: FastifyPluginAsync<SocketParts> = async (app, parts) => {
  const { nowMs, sockets, stores, streams, time } = parts
  const listenKeys = new ListenKeys({ store: stores.listenKeys, nowMs })
  const { socketCallers: callers } = app
  const shared = { ...streams, callers, listenKeys, nowMs, time }

  function serve(
    url: string,
    stream: StreamKind,
    session: (socket: BotSocket) => BotSession,
    identify = (request: FastifyRequest) => callers.ofRequest(request),
  ): void {
    app.route({
      ...{ method: 'GET', url, schema: { hide: true } },
      // An SDK that gets 401 dials again at once: the refusal is said on the socket.
      config: { access: 'public', isRaw: true, stream },
      handler: (_request, reply) => reply.callNotFound(),
      wsHandler: (webSocket: WebSocket, request) => {
        const noteEnd = parts.openStreams.addSocket(request, webSocket)
        sockets.add(webSocket, request, { identify, session, noteEnd })
      },
    })
  }

  for (const version of [2, 3] as const)
    for (const kind of ['public', 'private'] as const)
      serve(
        `/bg/v${version}/ws/${kind}`,
        `bitget-${kind}`,
        (socket) => new BitgetSession(version, socket, shared),
      )
  serve('/mx/edge', 'mexc-futures', (socket) => new MexcFuturesSession(socket, shared))
  serve(
    '/mx/ws',
    'mexc-spot',
    (socket) => new MexcSpotSession(socket, shared),
    (request) => spotCallerOf(request, shared),
  )
  await app.register(async (family) => serveListenKeys(family, listenKeys))
}

/** MEXC's calls for a listen key. The keys are the gateway's own, and no slot is used. */
function serveListenKeys(app: FastifyInstance, listenKeys: ListenKeys): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    request.bodyText = `${body}`
    done(null)
  })
  const changes = {
    GET: async (clientRef: number) => listenKeys.listOf(clientRef),
    POST: (clientRef: number) => listenKeys.create(clientRef),
    PUT: async (clientRef: number, key: string) => {
      if (!(await listenKeys.extend(clientRef, key))) throw new ListenKeyInvalidError()
      return key
    },
    DELETE: async (clientRef: number, key: string) => {
      if (!(await listenKeys.remove(clientRef, key))) throw new ListenKeyInvalidError()
      return key
    },
  } as const
  const permissionOf = (): Permission => 'account'
  for (const prefix of ['/mx', ''])
    for (const [method, change] of Object.entries(changes))
      app.route({
        ...{ method, url: `${prefix}${LISTEN_KEY_PATH}`, schema: { hide: true } },
        config: { access: 'client', endpoint: mxDropIn, isRaw: true, permissionOf },
        handler: async (request) => {
          const { caller } = request
          if (caller?.kind !== 'client') throw new Error('The guard let nobody in')
          return { listenKey: await change(caller.clientRef, listenKeyIn(request)) }
        },
      })
}

/** In the query, or in a form or JSON in the body. */
function listenKeyIn({ url, bodyText }: FastifyRequest): string {
  const asked = new URLSearchParams(url.split('?', 2)[1] ?? '').get('listenKey')
  return asked ?? /"?listenKey"?\s*[:=]\s*"?([0-9a-f]+)/.exec(bodyText)?.[1] ?? ''
}
