import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  getClientHeartbeat,
  getClientStop,
  getExchangeStop,
  getStopOfEverything,
  previewClientStop,
  previewExchangeStop,
  previewStopOfEverything,
  resumeClient,
  resumeEverything,
  stopClient,
  stopEverything,
} from 'schema'
import { approvableRouteOf } from '../../http/approvable.ts'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import type { Heartbeats } from '../../orders/heartbeats.ts'
import type { Stops } from '../../orders/stops.ts'
import type { ClientStore } from '../../store/client-store.ts'
import { auditLog } from './audit-log.ts'
import { ClientNotFoundError } from './errors.ts'
import { reviewResume } from './review-resume.ts'

export interface StopRoutesDeps {
  readonly clients: Pick<ClientStore, 'find'>
  readonly heartbeats: Pick<Heartbeats, 'stateOf'>
  readonly stops: Pick<Stops, 'get' | 'preview' | 'stop' | 'resume'>
  readonly nowMs: () => number
}

/**
 * Stops of a client and of everything, and the state of a dead man's switch. Stops of an exchange
 * begin in `queue-routes.ts`.
 */
export const stopRoutes: FastifyPluginAsyncTypebox<StopRoutesDeps> = async (
  app,
  { clients, heartbeats, stops, nowMs },
) => {
  /** @throws ClientNotFoundError */
  async function clientOf(id: number) {
    const row = await clients.find(id)
    if (row === undefined) throw new ClientNotFoundError(String(id))
    return row
  }

  app.route({
    ...routeOf(stopClient),
    handler: async (request) => {
      const { id: clientRef, clientId } = await clientOf(request.params.id)
      const { reason, cancelOrders = false } = request.body
      const what = { clientId, reason, cancelOrders: `${cancelOrders}` }
      auditLog(request, 'client stopped', what)
      return stops.stop({ clientRef }, { reason, cancelOrders, author: authorOf(request, nowMs()) })
    },
  })

  app.route({
    ...routeOf(getClientStop),
    handler: async (request) => stops.get({ clientRef: (await clientOf(request.params.id)).id }),
  })

  app.route({
    ...routeOf(previewClientStop),
    handler: async (request) =>
      stops.preview({ clientRef: (await clientOf(request.params.id)).id }),
  })

  app.route(
    approvableRouteOf(
      resumeClient,
      {
        async review({ params }) {
          const { id: clientRef, clientId } = await clientOf(params.id)
          return reviewResume(stops, { clientRef }, clientId)
        },
        async carryOut({ params }, { request, author }) {
          const { id: clientRef, clientId } = await clientOf(params.id)
          const resumed = await stops.resume({ clientRef }, { author })
          auditLog(request, 'client resumed', { clientId })
          return resumed
        },
      },
      nowMs,
    ),
  )

  app.route({
    ...routeOf(getClientHeartbeat),
    handler: async (request) => heartbeats.stateOf((await clientOf(request.params.id)).id),
  })

  app.route({
    ...routeOf(getExchangeStop),
    handler: async (request) => stops.get({ exchange: request.params.exchange }),
  })

  app.route({
    ...routeOf(stopEverything),
    handler: async (request) => {
      const { reason, cancelOrders = false } = request.body
      auditLog(request, 'everything stopped', { reason, cancelOrders: `${cancelOrders}` })
      return stops.stop('everything', {
        ...{ reason, cancelOrders },
        author: authorOf(request, nowMs()),
      })
    },
  })

  app.route({ ...routeOf(getStopOfEverything), handler: async () => stops.get('everything') })
  app.route({
    ...routeOf(previewStopOfEverything),
    handler: async () => stops.preview('everything'),
  })
  app.route({
    ...routeOf(previewExchangeStop),
    handler: async (request) => stops.preview({ exchange: request.params.exchange }),
  })

  app.route(
    approvableRouteOf(
      resumeEverything,
      {
        review: () => reviewResume(stops, 'everything', 'everything'),
        async carryOut(_input, { request, author }) {
          const resumed = await stops.resume('everything', { author })
          auditLog(request, 'everything resumed', {})
          return resumed
        },
      },
      nowMs,
    ),
  )
}
