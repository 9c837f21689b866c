import type { FastifyPluginAsync } from 'fastify'
import type { Parts } from '../../app/create-parts.ts'
import { BotSockets } from './bot-sockets.ts'
import { exchangeSockets } from './exchange-sockets.ts'
import { ownStreams } from './own-streams.ts'
import { streamStatus } from './stream-status.ts'

type StreamsParts = Pick<
  Parts,
  | 'config'
  | 'events'
  | 'exchanges'
  | 'nowMs'
  | 'openStreams'
  | 'stores'
  | 'streams'
  | 'time'
  | 'watching'
>

/**
 * The streams of bots: Sluice's own, and the exchanges' own WebSockets. A client has at most 10.
 */
export const streams: FastifyPluginAsync<StreamsParts> = async (app, parts) => {
  const { socketCallers: callers } = app
  const sockets = new BotSockets({ callers, time: parts.time, log: app.log })
  await app.register(ownStreams, { ...parts, sockets })
  await app.register(exchangeSockets, { ...parts, sockets })
  await app.register(streamStatus, { ...parts, sockets })
}
