import type { FastifyRequest } from 'fastify'
import { type Access, ApprovalNeeded, type Endpoint, type Permission, roleOf } from 'schema'
import Type, { type TSchema } from 'typebox'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call. A route without it makes the start fail. */
    access?: Access
    /** The catalogue's entry that the route serves. */
    endpoint?: Endpoint
    /**
     * The permission that a client needs, when it depends on the request. Overrides the endpoint's.
     * @throws when nobody may call
     */
    permissionOf?: (request: FastifyRequest) => Permission
  }
}

/**
 * The permission that a client needs for this request; undefined when it needs none.
 * @throws when nobody may call
 */
export function permissionFor(request: FastifyRequest): Permission | undefined {
  const { endpoint, permissionOf } = request.routeOptions.config
  return permissionOf?.(request) ?? endpoint?.proxy?.permission
}

const ProxyHeaders = Type.Object({
  prefer: Type.Optional(
    Type.String({
      description:
        '`wait=SECONDS`: the longest time to wait in the queue (RFC 7240). `respond-async`, for orders: respond at once with an address where the status can be read',
      examples: ['wait=20'],
    }),
  ),
})
const MarketHeaders = Type.Object({
  ...ProxyHeaders.properties,
  'cache-control': Type.Optional(
    Type.String({
      description:
        '`max-age=SECONDS`: takes a response that was kept for at most so long, an hour at most, and then no slot of the queue (RFC 9111). `no-cache`: asks the exchange anew. `no-store`: the response is not kept either',
      examples: ['max-age=2'],
    }),
  ),
})
const OrderHeaders = Type.Object({
  ...ProxyHeaders.properties,
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'A retry with the same key gets the first response and places nothing (IETF draft-07). 1 to 255 characters, unique per client, kept for at least 24 hours',
      examples: ['"grid-7-42"'],
    }),
  ),
})

const HEADERS: Partial<Record<Permission, TSchema>> = { market: MarketHeaders, trade: OrderHeaders }

type StatusOf<E extends Endpoint> = E['status'] extends number ? E['status'] : 200

/** An endpoint's schemas under the names that Fastify uses. Absent parts stay absent. */
type RouteSchema<E extends Endpoint> = (E['body'] extends TSchema ? { body: E['body'] } : object) &
  (E['query'] extends TSchema ? { querystring: E['query'] } : object) &
  (E['params'] extends TSchema ? { params: E['params'] } : object) &
  (E['response'] extends TSchema ? { response: Record<StatusOf<E>, E['response']> } : object)

interface RouteOf<E extends Endpoint> {
  method: E['method']
  url: string
  schema: RouteSchema<E>
  config: { access: Access; endpoint: Endpoint }
}

/**
 * Fastify's route options for an endpoint of the catalogue: method, url, schemas, and who may call.
 */
export function routeOf<const E extends Endpoint>(endpoint: E): RouteOf<E> {
  const schema = {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, ...notesOf(endpoint).map((note) => `- ${note}`)]
      .filter((line) => line !== undefined)
      .join('\n'),
    security: endpoint.access === 'public' ? [] : [{ [endpoint.access]: [] }],
    ...(endpoint.access === 'admin' ? { 'x-role': roleOf(endpoint) } : {}),
    ...(endpoint.confirm === undefined ? {} : { 'x-confirm': endpoint.confirm }),
    ...(endpoint.approval === undefined ? {} : { 'x-approval': endpoint.approval }),
    ...(endpoint.bodyType === undefined ? {} : { consumes: [endpoint.bodyType] }),
    ...(endpoint.proxy === undefined
      ? {}
      : { headers: HEADERS[endpoint.proxy.permission] ?? ProxyHeaders }),
    ...(endpoint.params === undefined ? {} : { params: endpoint.params }),
    ...(endpoint.query === undefined ? {} : { querystring: endpoint.query }),
    ...(endpoint.body === undefined
      ? {}
      : { body: withSample(endpoint.body, endpoint.sample?.body) }),
    response: responsesOf(endpoint),
  }
  return {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // The parts are assembled at run time from an endpoint whose exact type only the caller knows.
    schema: schema as unknown as RouteSchema<E>,
    config: { access: endpoint.access, endpoint },
  }
}

const WAITS = named('Waits for another administrator', ApprovalNeeded)
const REJECTED = named('Rejected', Type.Ref('Error'))
const FAILED = named('Failed', Type.Ref('Error'))
const responses = new WeakMap<Endpoint, Readonly<Record<string, TSchema>>>()

/** The same objects each time: what serializes a schema is kept for the schema itself. */
function responsesOf(endpoint: Endpoint): Readonly<Record<string, TSchema>> {
  const { approval, response, sample, status = 200 } = endpoint
  const known = responses.get(endpoint)
  if (known !== undefined) return known
  const found = {
    [status]:
      response === undefined
        ? Type.Null({ description: 'Done' })
        : { ...named('Done', withSample(response, sample?.response)), ...agedOf(endpoint) },
    ...(approval === undefined ? {} : { 202: WAITS }),
    '4xx': REJECTED,
    '5xx': FAILED,
  }
  responses.set(endpoint, found)
  return found
}

/** What OpenAPI says of a response that may be a kept one. */
function agedOf({ proxy }: Endpoint) {
  if (proxy?.permission !== 'market') return {}
  const description =
    'How many seconds ago the exchange was asked, when the response is a kept one; absent: just now'
  return { headers: { Age: { type: 'integer', description } } }
}

function notesOf({ notes = [], approval }: Endpoint): readonly string[] {
  if (approval === undefined) return notes
  return [
    ...notes,
    `With \`REQUIRE_SECOND_ADMIN\`, it waits for another administrator and returns 202 (${approval}).`,
  ]
}

/** Like `routeOf`, for a handler that sends the response as text that it has already serialized. */
export function textRouteOf<const E extends Endpoint>(endpoint: E) {
  const route = routeOf(endpoint)
  return { ...route, schema: route.schema as Omit<RouteSchema<E>, 'response'> }
}

/** What the OpenAPI page says of a response whose schema has no description of its own. */
function named(description: string, schema: TSchema): TSchema {
  return { description, ...schema }
}

function withSample(schema: TSchema, sample: unknown): TSchema {
  return sample === undefined ? schema : { ...schema, examples: [sample] }
}
