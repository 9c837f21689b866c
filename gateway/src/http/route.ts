import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { type Access, ApprovalNeeded, type Endpoint, type Permission } from 'schema'
import Type, { type TSchema } from 'typebox'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call. A route without it makes the start fail. */
    access?: Access
    /** The catalogue's entry that the route serves. */
    endpoint?: Endpoint
    /** It serves an exchange's own paths. */
    isRaw?: true
    /**
     * The permission that a client needs, when it depends on the request. Overrides the endpoint's.
     * @throws when nobody may call
     */
    permissionOf?: (request: FastifyRequest) => Permission
  }
}

/** Whether only the owner of the exchanges responds, and not each node of a group. */
export function isForOwner(config: FastifyContextConfig | undefined): boolean {
  const { endpoint, stream } = config ?? {}
  return stream !== undefined || (endpoint !== undefined && endpoint.anywhere !== true)
}

/**
 * The permission that a client needs for this request; undefined when it needs none.
 * @throws when nobody may call
 */
export function permissionFor(request: FastifyRequest): Permission | undefined {
  const { endpoint, permissionOf } = request.routeOptions.config
  return permissionOf?.(request) ?? endpoint?.proxy?.permission
}

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
  const { access, body, method, params, path, query } = endpoint
  const schema = {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
    response: responsesOf(endpoint),
  }
  return {
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // The parts are assembled at run time from an endpoint whose exact type only the caller knows.
    schema: schema as unknown as RouteSchema<E>,
    config: { access, endpoint },
  }
}

const NOTHING = Type.Null()
const ERROR = Type.Ref('Error')
const responses = new WeakMap<Endpoint, Readonly<Record<string, TSchema>>>()

/** The same objects each time: what serializes a schema is kept for the schema itself. */
function responsesOf(endpoint: Endpoint): Readonly<Record<string, TSchema>> {
  const { approval, response = NOTHING, status = 200 } = endpoint
  const known = responses.get(endpoint)
  if (known !== undefined) return known
  const found = {
    [status]: response,
    ...(approval === undefined ? {} : { 202: ApprovalNeeded }),
    '4xx': ERROR,
    '5xx': ERROR,
  }
  responses.set(endpoint, found)
  return found
}

/** Like `routeOf`, for a handler that sends the response as text that it has already serialized. */
export function textRouteOf<const E extends Endpoint>(endpoint: E) {
  const route = routeOf(endpoint)
  return { ...route, schema: route.schema as Omit<RouteSchema<E>, 'response'> }
}
