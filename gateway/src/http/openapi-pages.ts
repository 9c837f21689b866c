import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { bgDropIn, catalogue, ErrorBody, mxDropIn } from 'schema'
import { VERSION } from '../version.ts'

/**
 * A server of its own, which is never connected to a socket, with the description of these routes
 * and the page that shows it. Loads Swagger.
 */
export async function createOpenApiPages(
  routes: readonly RouteOptions[],
): Promise<FastifyInstance> {
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
