import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { getOperations, getOperationsHistory, listNodes } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { routeOf } from '../../http/route.ts'
import { passOverDamage } from '../../store/errors.ts'
import { type ActiveClient, ClientActivity } from './clients-now.ts'
import {
  createNodesService,
  createOperationsService,
  type NodesService,
  type OperationsParts,
  type OperationsService,
} from './operations-service.ts'
import { QueueHistory } from './queue-history.ts'

const SAMPLE_EVERY_MS = 1_000
const DAY_MS = 86_400_000

declare module 'fastify' {
  interface FastifyRequest {
    /** The client whose request this is, once it is counted; null before, and for others. */
    countedFor: ActiveClient | null
  }
}

/**
 * What an operator sees of the gateway while it runs. Counts the requests of clients on all routes
 * that are registered after it.
 */
export const operator = fp<OperationsParts & Pick<Parts, 'ownerWork' | 'sampleEveryMs' | 'time'>>(
  async (app, parts) => {
    const { nowMs, ownerWork, sampleEveryMs = SAMPLE_EVERY_MS, stores, time } = parts
    const { lanes } = parts.exchanges
    const activity = new ClientActivity()
    const history = new QueueHistory({ lanes, store: stores.queueMinutes, nowMs })
    let endSampling = async () => {}
    const service = createOperationsService(parts, activity, history)
    const nodes = createNodesService(parts)

    app.decorateRequest('countedFor', null)
    const count = ({ caller, ip }: FastifyRequest): ActiveClient | null =>
      caller?.kind === 'client' ? activity.began(caller, ip, nowMs()) : null
    app.addHook('preValidation', (request, _reply, done) => {
      request.countedFor = count(request)
      done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      // A request that the guard refuses does not come as far as its validation.
      const client = request.countedFor ?? count(request)
      if (reply.statusCode >= 400) client?.failures.add(nowMs())
      done()
    })

    const seenBefore = stores.secrets.usesSince(nowMs() - DAY_MS)
    for (const seen of (await seenBefore.catch(passOverDamage)) ?? []) activity.restore(seen)
    const onError = (err: unknown) =>
      app.log.warn({ err }, 'how many requests waited could not be stored')
    // The queues of the other nodes are empty, and are not stored.
    await ownerWork.whenOwner(async () => {
      await history.restore().catch(passOverDamage)
      const timer = time.setInterval(() => history.sample().catch(onError), sampleEveryMs).unref()
      endSampling = async () => {
        timer.cancel()
        await history.close().catch(onError)
      }
    })
    app.addHook('preClose', () => endSampling())

    await app.register(operationsRoutes, { service, history, nodes })
  },
  { name: 'operator', fastify: '5.x' },
)

const operationsRoutes: FastifyPluginAsyncTypebox<{
  service: OperationsService
  history: Pick<QueueHistory, 'read'>
  nodes: NodesService
}> = async (app, { service, history, nodes }) => {
  app.route({ ...routeOf(getOperations), handler: async () => service.read() })
  app.route({ ...routeOf(listNodes), handler: async () => nodes.read() })
  app.route({
    ...routeOf(getOperationsHistory),
    handler: async ({ query }) => history.read(query.span ?? '5m'),
  })
}
