import type { FastifyPluginAsync } from 'fastify'
import { bgDropIn, type ExchangeCode, mxDropIn, mxRawOrder, mxTickerPrice } from 'schema'
import { MethodNotAllowedError, pathOf, RouteNotFoundError } from '../../http/errors.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import { createTrade } from '../../http/trade-handler.ts'
import type { PlaceOnce } from '../../orders/place-order.ts'
import type { Relay } from '../../upstream/relay.ts'
import { createDropInHandler } from './drop-in-handler.ts'
import { permissionReader } from './permission-reader.ts'
import { takeBodiesAsText } from './text-body.ts'

export interface DropInOptions {
  readonly relays: Readonly<Record<ExchangeCode, Relay>>
  readonly placeOnce: PlaceOnce
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** Where the families answer, and what of the address is not the exchange's own path. */
const MOUNTS = [
  { prefix: '/mx', ours: '/mx', endpoint: mxDropIn },
  { prefix: '/bg', ours: '/bg', endpoint: bgDropIn },
  // The samples of the console use MEXC's paths without a prefix (docs/console-checklist.md, 96 and 192).
  { prefix: '/api/v3', ours: '', endpoint: mxDropIn },
  { prefix: '/api/v1/private', ours: '', endpoint: mxDropIn },
  { prefix: '/api/v1/contract', ours: '', endpoint: mxDropIn },
] as const

/**
 * The exchanges' own APIs: a bot that was written for them changes its base URL and adds a token. What may pass is for
 * the policy to say (`exchanges/policy`), what a body means for the exchange.
 */
export const dropIn: FastifyPluginAsync<DropInOptions> = async (app, { relays, placeOnce }) => {
  app.decorateRequest('rawCall', null)
  takeBodiesAsText(app)
  // The schemas are for the documentation: what the exchange would accept is not refused here.
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
  const handlers = {
    mx: createDropInHandler(relays.mx, createTrade('mx', placeOnce)),
    bg: createDropInHandler(relays.bg, createTrade('bg', placeOnce)),
  }

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

  // Two of the calls are documented; they are served like all the others.
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
