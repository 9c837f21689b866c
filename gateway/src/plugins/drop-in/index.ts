import type { FastifyPluginAsync } from 'fastify'
import { bgDropIn, type ExchangeCode, mxDropIn, mxRawOrder, mxTickerPrice } from 'schema'
import { eachExchange } from '../../exchanges/each-exchange.ts'
import { MethodNotAllowedError, pathOf, RouteNotFoundError } from '../../http/errors.ts'
import { createOrderHandler } from '../../http/order-handler.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import type { PlaceOrder } from '../../orders/place-order.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { createDropInHandler } from './drop-in-handler.ts'
import { permissionReader, readBodyKind } from './permission-reader.ts'
import { takeBodiesAsText } from './text-body.ts'

export interface DropInOptions {
  readonly upstreams: Readonly<Record<ExchangeCode, Upstream>>
  readonly placeOrder: PlaceOrder
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** The paths that serve each family, and the prefix that is not part of the exchange's own path. */
const MOUNTS = [
  { prefix: '/mx', ours: '/mx', endpoint: mxDropIn },
  { prefix: '/bg', ours: '/bg', endpoint: bgDropIn },
  // The samples of the console use MEXC's paths without a prefix (docs/console-checklist.md, 96 and
  // 192).
  { prefix: '/api/v3', ours: '', endpoint: mxDropIn },
  { prefix: '/api/v1/private', ours: '', endpoint: mxDropIn },
  { prefix: '/api/v1/contract', ours: '', endpoint: mxDropIn },
] as const

/**
 * The exchanges' own APIs: a bot that was written for an exchange changes its base URL and adds a
 * token. The policy (`exchanges/policy`) decides which calls pass; the exchange interprets the
 * body.
 */
export const dropIn: FastifyPluginAsync<DropInOptions> = async (app, { upstreams, placeOrder }) => {
  app.decorateRequest('rawCall', null)
  takeBodiesAsText(app)
  app.addHook('preValidation', readBodyKind)
  // The schemas only document the calls: the gateway rejects nothing that the exchange would
  // accept.
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
  const handlers = eachExchange((exchange) =>
    createDropInHandler(upstreams[exchange], createOrderHandler(exchange, placeOrder)),
  )

  for (const { prefix, ours, endpoint } of MOUNTS) {
    const { exchange } = endpoint.proxy
    const permissionOf = permissionReader(exchange, ours)
    await app.register(
      async (family) => {
        family.route({
          method: [...METHODS],
          url: '/*',
          schema: { hide: true },
          config: { access: endpoint.access, endpoint, permissionOf },
          handler: handlers[exchange],
        })
        family.setNotFoundHandler((request, reply) => {
          const path = pathOf(request.url)
          if (isMethod(request.method)) throw new RouteNotFoundError(request.method, path)
          reply.header('allow', `${METHODS.join(', ')}, HEAD`)
          throw new MethodNotAllowedError(request.method, path, METHODS.join(', '))
        })
      },
      { prefix },
    )
  }

  // Two of the calls have documentation of their own; they are served like all the others.
  const permissionOf = permissionReader('mx', '')
  for (const route of [routeOf(mxTickerPrice), textRouteOf(mxRawOrder)])
    app.route({
      ...route,
      config: { ...route.config, permissionOf },
      handler: handlers.mx,
    })
}

function isMethod(method: string): boolean {
  return METHODS.some((each) => each === method)
}
