import type { FastifyPluginAsync } from 'fastify'
import type { Parts } from '../../app/create-parts.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { secretRoutes } from './client-secrets.ts'
import { clientRoutes } from './clients.ts'
import { limitRoutes } from './limits.ts'
import { orderRoutes } from './orders.ts'
import { queueRoutes } from './queue.ts'
import { stopRoutes } from './stops.ts'

/**
 * What administrators do: client credentials and limits, exchange keys, the queue, orders, stops.
 * Each resource has a file with its routes and its acts.
 */
export const admin: FastifyPluginAsync<Parts> = async (app, parts) => {
  await app.register(clientRoutes, parts)
  await app.register(secretRoutes, parts)
  await app.register(limitRoutes, parts)
  await app.register(apiKeyRoutes, parts)
  await app.register(stopRoutes, parts)
  await app.register(orderRoutes, parts)
  await app.register(queueRoutes, parts)
}
