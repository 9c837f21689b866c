import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { putHeartbeat } from 'schema'
import { routeOf } from '../../http/route.ts'
import type { Heartbeats } from '../../orders/heartbeats.ts'
import { clientRefOf } from './client-ref-of.ts'

export interface HeartbeatRouteDeps {
  readonly heartbeats: Pick<Heartbeats, 'beat'>
}

/** A client's heartbeat. */
export const heartbeatRoute: FastifyPluginAsyncTypebox<HeartbeatRouteDeps> = async (
  app,
  { heartbeats },
) => {
  app.route({
    ...routeOf(putHeartbeat),
    handler: async (request) => heartbeats.beat(clientRefOf(request), request.body.ttlSeconds),
  })
}
