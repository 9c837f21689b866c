import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { apiKeyRoutes } from './api-key-routes.ts'
import { type ApiKeyServiceDeps, createApiKeyService } from './api-key-service.ts'
import { clientRoutes } from './client-routes.ts'
import { type ClientServiceDeps, createClientService } from './client-service.ts'
import { KeyTestService, type KeyTestServiceDeps } from './key-test-service.ts'
import { limitRoutes } from './limit-routes.ts'
import { createLimitService, type LimitServiceDeps } from './limit-service.ts'
import { createNewKeyCheck, type NewKeyCheckDeps } from './new-key-check.ts'
import { orderRoutes } from './order-routes.ts'
import { createAdminOrderService, type OrderServiceDeps } from './order-service.ts'
import { queueRoutes } from './queue-routes.ts'
import { createQueueService, type QueueServiceDeps } from './queue-service.ts'
import { secretRoutes } from './secret-routes.ts'
import { createSecretService, type SecretServiceDeps } from './secret-service.ts'
import { type StopRoutesDeps, stopRoutes } from './stop-routes.ts'

export type AdminOptions = ClientServiceDeps &
  LimitServiceDeps &
  SecretServiceDeps &
  Omit<ApiKeyServiceDeps, 'newKeyCheck'> &
  NewKeyCheckDeps &
  KeyTestServiceDeps &
  QueueServiceDeps &
  OrderServiceDeps &
  StopRoutesDeps & {
    /** How long orders are kept. */
    readonly keptDays: number
  }

/**
 * The routes of administrators: client credentials and limits, exchange keys, the queue, orders,
 * stopping an exchange.
 */
export const admin: FastifyPluginAsyncTypebox<AdminOptions> = async (app, options) => {
  const { nowMs } = options
  await app.register(clientRoutes, { nowMs, clients: createClientService(options) })
  await app.register(secretRoutes, { nowMs, secrets: createSecretService(options) })
  await app.register(limitRoutes, { nowMs, limits: createLimitService(options) })
  await app.register(apiKeyRoutes, {
    apiKeys: createApiKeyService({ ...options, newKeyCheck: createNewKeyCheck(options) }),
    keyTest: new KeyTestService(options),
    stores: options,
    nowMs,
  })
  await app.register(stopRoutes, options)
  await app.register(orderRoutes, {
    ...{ nowMs, orders: createAdminOrderService(options) },
    keptDays: options.keptDays,
  })
  await app.register(queueRoutes, {
    ...{ nowMs, stops: options.stops },
    queue: createQueueService(options),
  })
}
