import { createError } from '@fastify/error'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify'
import { bgDropIn, catalogue, ErrorBody, mxDropIn, openApi } from 'schema'
import { VERSION } from '../version.ts'
import { routeOf } from './route.ts'

const ApiDocsOffError = createError(
  'API_DOCS_OFF',
  'This gateway does not show the description of its API; its operator can switch it on (API_DOCS)',
  404,
)

/**
 * Serves `/docs` (a page) and `/docs/json` (OpenAPI 3.1), both generated from the routes. This
 * happens at the first request for one of them: it would take a tenth of the start and of the
 * memory, and few ask. Register it before the routes, and before the guard: the page's own files
 * are public.
 * @param isShown otherwise each of these paths is a 404
 */
export function describeRoutes(app: FastifyInstance, isShown: boolean): void {
  const routes: RouteOptions[] = []
  let pages: Promise<FastifyInstance> | undefined
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isShown) throw new ApiDocsOffError()
    pages ??= createOpenApiPages(routes)
    return forward(await pages, request, reply)
  }
  const { config, url } = routeOf(openApi)
  app.route({ method: 'GET', url, config, handler })
  for (const page of ['/docs', '/docs/', '/docs/*'])
    app.route({ method: 'GET', url: page, handler })
  app.addHook('onRoute', (route) => void routes.push(route))
}

/**
 * Responds as the pages do; Fastify leaves the body out of the response to HEAD. A path that they
 * do not have is a 404 here too.
 */
async function forward(pages: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
  const { url, headers: asked } = request
  const { statusCode, headers, rawPayload } = await pages.inject({ url, headers: asked })
  if (statusCode >= 500) throw new Error(`${url} cannot be made`)
  if (statusCode >= 400) return reply.callNotFound()
  const { connection, date, ...own } = headers
  return reply
    .code(statusCode)
    .headers(own)
    .send(rawPayload.length === 0 ? undefined : rawPayload)
}

/**
 * A server of its own, which is never connected to a socket, with the description of these routes
 * and the page that shows it. Loads Swagger.
 */
async function createOpenApiPages(routes: readonly RouteOptions[]): Promise<FastifyInstance> {
  const { default: swagger } = await import('@fastify/swagger')
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  const app: FastifyInstance = Fastify()
  // Nothing is validated or serialized here: the routes are only described.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.addSchema(ErrorBody)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sluice',
        summary: 'A rate-limited, authenticated gateway in front of MEXC and Bitget',
        description:
          "Bots exchange a client id and secret for a 600-second bearer token and call the exchanges through the gateway, which holds the keys, signs each call, keeps the rate limit and logs. The exchanges' own APIs are served under `/mx` (MEXC) and `/bg` (Bitget): see those tags. Every error has the shape of the schema `Error`; decide by `outcome` and `retryable` when they are given, otherwise by `code`.",
        version: VERSION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This gateway' }],
      tags: tagsInOrder(),
      components: {
        securitySchemes: {
          client: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'The token of a bot, from POST /auth/token',
          },
          admin: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'The token of an administrator, from POST /auth/login',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `Schema${index}`,
    },
  })
  for (const { method, url, schema } of routes)
    if (method !== 'HEAD' && schema !== undefined)
      app.route({ method, url, schema, exposeHeadRoute: false, handler: async () => undefined })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { deepLinking: true, persistAuthorization: false, validatorUrl: null },
    // All resources come from this server; the page's script writes its own inline styles.
    staticCSP: {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    },
  })
  await app.ready()
  return app
}

/**
 * A page cannot list every path of a drop-in family: each family is described with its exchange.
 */
function tagsInOrder(): { name: string; description?: string }[] {
  const families = [mxDropIn, bgDropIn]
  return [...new Set(catalogue.map(({ tag }) => tag))].map((name) => {
    const family = families.find(({ tag }) => tag === name)
    return family === undefined ? { name } : { name, description: family.description }
  })
}
