import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  EXCHANGES,
  type ExchangeCode,
  getClientHeartbeat,
  getClientStop,
  getExchangeStop,
  getStopOfEverything,
  previewClientStop,
  previewExchangeStop,
  previewStopOfEverything,
  resumeClient,
  resumeEverything,
  resumeExchange,
  type Stop,
  stopClient,
  stopEverything,
  stopExchange,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { actsWith, type Review } from '../../http/act.ts'
import { routeOf } from '../../http/route.ts'
import { toPublicState } from '../../lane/lane-snapshot.ts'
import { isOfClient, nameOf, type StopScope } from '../../orders/stop-work.ts'
import { findClient } from './clients.ts'

type StopParts = Pick<Parts, 'stores' | 'orders' | 'exchanges' | 'nowMs'>

/** Stops of a client, an exchange and everything, and the state of a dead man's switch. */
export const stopRoutes: FastifyPluginAsyncTypebox<StopParts> = async (app, parts) => {
  const { heartbeats, stops } = parts.orders
  const clientRefOf = async (id: number) => (await findClient(parts.stores.clients, id)).id

  app.route({
    ...routeOf(getClientStop),
    handler: async ({ params }) => stops.get({ clientRef: await clientRefOf(params.id) }),
  })
  app.route({
    ...routeOf(previewClientStop),
    handler: async ({ params }) => stops.preview({ clientRef: await clientRefOf(params.id) }),
  })
  app.route({
    ...routeOf(getClientHeartbeat),
    handler: async ({ params }) => heartbeats.stateOf(await clientRefOf(params.id)),
  })
  app.route({
    ...routeOf(getExchangeStop),
    handler: async ({ params: { exchange } }) => stops.get({ exchange }),
  })
  app.route({
    ...routeOf(previewExchangeStop),
    handler: async ({ params: { exchange } }) => stops.preview({ exchange }),
  })
  app.route({ ...routeOf(getStopOfEverything), handler: async () => stops.get('everything') })
  app.route({
    ...routeOf(previewStopOfEverything),
    handler: async () => stops.preview('everything'),
  })
  for (const routeWith of acts) app.route(routeWith(parts))
}

const act = actsWith<StopParts>()

// `Stops` makes their entries: a missed heartbeat stops a client too. A stop is logged before it
// begins, because it is made even when its entry cannot be written yet.
const acts = [
  act(stopClient, {
    entries: ['client.stopped'],
    async run({ params, body }, by, { stores, orders }) {
      const { id: clientRef, clientId } = await findClient(stores.clients, params.id)
      const { reason, cancelOrders = false } = body
      by.log('client stopped', { clientId, reason, cancelOrders: `${cancelOrders}` })
      return orders.stops.stop({ clientRef }, { reason, cancelOrders, author: by.author })
    },
  }),

  act(resumeClient, {
    entries: ['client.resumed'],
    async review({ params }, _by, parts) {
      const { id: clientRef, clientId } = await findClient(parts.stores.clients, params.id)
      return reviewResume(parts, { clientRef }, clientId)
    },
    async run({ params }, by, { stores, orders }) {
      const { id: clientRef, clientId } = await findClient(stores.clients, params.id)
      const resumed = await orders.stops.resume({ clientRef }, { author: by.author })
      by.log('client resumed', { clientId })
      return resumed
    },
  }),

  // The exchange stays stopped until it is resumed, also after a restart.
  act(stopExchange, {
    entries: ['exchange.stopped'],
    async run({ params: { exchange }, body }, by, parts) {
      const { reason, cancelOrders = false } = body
      by.log('exchange stopped', { exchange, reason, cancelOrders: `${cancelOrders}` })
      const order = { reason, cancelOrders, author: by.author }
      const stop = await parts.orders.stops.stop({ exchange }, order)
      const { reason: _given, resumedAt: _none, dropped, ...progress } = stop
      return { ...stateOf(parts, exchange, dropped), ...progress }
    },
  }),

  act(resumeExchange, {
    entries: ['exchange.resumed'],
    review: ({ params: { exchange }, query }, _by, parts) =>
      reviewResume(parts, { exchange }, exchange, query.reason),
    async run({ params: { exchange }, query }, by, parts) {
      const { reason = 'no reason given' } = query
      await parts.orders.stops.resume({ exchange }, { reason, author: by.author })
      by.log('exchange resumed', { exchange, reason })
      return stateOf(parts, exchange, 0)
    },
  }),

  act(stopEverything, {
    entries: ['exchange.stopped'],
    async run({ body }, by, { orders }) {
      const { reason, cancelOrders = false } = body
      by.log('everything stopped', { reason, cancelOrders: `${cancelOrders}` })
      return orders.stops.stop('everything', { reason, cancelOrders, author: by.author })
    },
  }),

  act(resumeEverything, {
    entries: ['exchange.resumed'],
    review: (_input, _by, parts) => reviewResume(parts, 'everything', 'everything'),
    async run(_input, by, { orders }) {
      const resumed = await orders.stops.resume('everything', { author: by.author })
      by.log('everything resumed', {})
      return resumed
    },
  }),
]

function stateOf({ exchanges }: StopParts, exchange: ExchangeCode, dropped: number) {
  const { state, reason } = exchanges.lanes[exchange].snapshot()
  return { exchange, state: toPublicState(state), reason, dropped }
}

/**
 * What the end of a stop would change. It always needs an approval where one is demanded: a stop
 * that begins at this moment must not end unseen.
 * @param subject the name of the client, for one of a client
 */
async function reviewResume(
  { orders: { stops } }: StopParts,
  scope: StopScope,
  subject: string,
  reason?: string,
): Promise<Review> {
  const stopped = Object.fromEntries(
    await Promise.all(
      endedWith(scope).map(async (each) => [nameOf(each), inForce(await stops.get(each))] as const),
    ),
  )
  return {
    subjectKind: isOfClient(scope) ? 'client' : 'exchange',
    subject,
    before: { stopped },
    after: { stopped: null, ...(reason === undefined ? {} : { reason }) },
  }
}

/** The stops that may keep something from running which would run again. */
function endedWith(scope: StopScope): readonly StopScope[] {
  if (isOfClient(scope)) return [scope]
  if (scope !== 'everything') return [scope, 'everything']
  return [scope, ...EXCHANGES.map((exchange) => ({ exchange }))]
}

function inForce(stop: Stop | null): Pick<Stop, 'reason' | 'startedAt'> | null {
  if (stop === null || stop.resumedAt !== null) return null
  const { reason, startedAt } = stop
  return { reason, startedAt }
}
