import { createError } from '@fastify/error'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { openApi } from 'schema'
import { createOpenApiPages } from './openapi-pages.ts'
import { routeOf } from './route.ts'

export const ApiDocsOffError = createError(
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
 * Responds as the pages do; Fastify leaves the body out of the response to HEAD. What they do not
 * have is not found here either.
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
