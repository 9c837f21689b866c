import type { Access, Endpoint } from 'schema'
import Type, { type TSchema } from 'typebox'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call; a route without it stops the start. */
    access?: Access
    /** The catalogue's entry that the route serves. */
    endpoint?: Endpoint
  }
}

type StatusOf<E extends Endpoint> = E['status'] extends number ? E['status'] : 200

/** An endpoint's own schemas under the names that Fastify gives them; absent parts stay absent. */
type RouteSchema<E extends Endpoint> = (E['body'] extends TSchema ? { body: E['body'] } : object) &
  (E['query'] extends TSchema ? { querystring: E['query'] } : object) &
  (E['params'] extends TSchema ? { params: E['params'] } : object) &
  (E['response'] extends TSchema ? { response: Record<StatusOf<E>, E['response']> } : object)

export interface RouteOf<E extends Endpoint> {
  method: E['method']
  url: string
  schema: RouteSchema<E>
  config: { access: Access; endpoint: Endpoint }
}

/** Fastify's route options for an endpoint of the catalogue: method, url, schemas, and who may call. */
export function routeOf<const E extends Endpoint>(endpoint: E): RouteOf<E> {
  const schema = {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, ...(endpoint.notes ?? []).map((note) => `- ${note}`)]
      .filter((line) => line !== undefined)
      .join('\n'),
    security: endpoint.access === 'public' ? [] : [{ [endpoint.access]: [] }],
    ...(endpoint.bodyType === undefined ? {} : { consumes: [endpoint.bodyType] }),
    ...(endpoint.params === undefined ? {} : { params: endpoint.params }),
    ...(endpoint.query === undefined ? {} : { querystring: endpoint.query }),
    ...(endpoint.body === undefined
      ? {}
      : { body: withSample(endpoint.body, endpoint.sample?.body) }),
    response: {
      [endpoint.status ?? 200]:
        endpoint.response === undefined
          ? Type.Null({ description: 'Done' })
          : withSample(endpoint.response, endpoint.sample?.response),
      '4xx': Type.Ref('Error'),
      '5xx': Type.Ref('Error'),
    },
  }
  return {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // The parts are put together at run time from an endpoint whose exact type only the caller knows.
    schema: schema as unknown as RouteSchema<E>,
    config: { access: endpoint.access, endpoint },
  }
}

function withSample(schema: TSchema, sample: unknown): TSchema {
  return sample === undefined ? schema : { ...schema, examples: [sample] }
}
