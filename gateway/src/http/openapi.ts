import { createError } from '@fastify/error'
import type { StaticDocumentSpec } from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { adminOpenApi, openApi } from 'schema'
import { type Audience, describeApi } from './openapi-document.ts'
import { pageOptions } from './openapi-page.ts'
import { routeOf } from './route.ts'

const ApiDocsOffError = createError(
  'API_DOCS_OFF',
  'This gateway does not show the description of its API; its operator can switch it on (API_DOCS)',
  404,
)

/**
 * Serves the calls of bots at `/docs` (a page) and `/docs/json` (OpenAPI 3.1), those of
 * administrators at `/docs/admin` and `/docs/admin/json`. They are made at the first request for
 * one of them: it would take a tenth of the start and of the memory, and few ask. Register it
 * before the guard: the page's own files are public.
 * @param isShown otherwise each of these paths is a 404
 */
export function serveApiDocs(app: FastifyInstance, isShown: boolean): void {
  let pages: Promise<FastifyInstance> | undefined
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isShown) throw new ApiDocsOffError()
    pages ??= createPages()
    return forward(await pages, request, reply)
  }
  for (const { config, url } of [routeOf(openApi), routeOf(adminOpenApi)])
    app.route({ method: 'GET', url, config, handler })
  for (const url of ['/docs', '/docs/', '/docs/*']) app.route({ method: 'GET', url, handler })
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
 * A server of its own, which is never connected to a socket, with the descriptions and the pages
 * that show them. Loads Swagger.
 */
async function createPages(): Promise<FastifyInstance> {
  const { default: swagger } = await import('@fastify/swagger')
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  const app: FastifyInstance = Fastify()
  // Each page is a scope of its own: Swagger's page shows the one description of its scope.
  const add = (routePrefix: string, audience: Audience) =>
    app.register(async (scope) => {
      const document = describeApi(audience)
      await scope.register(swagger, {
        mode: 'static',
        // The plugin's type is that of OpenAPI 3.0; it passes the document on as it is.
        specification: { document } as unknown as StaticDocumentSpec,
      })
      await scope.register(swaggerUi, pageOptions(routePrefix, document.info.title))
    })
  await add('/docs/admin', 'administrators')
  await add('/docs', 'bots')
  await app.ready()
  return app
}
