import type { Static, TObject, TSchema } from 'typebox'

export const EXCHANGES = ['mx', 'bg'] as const
/** `mx` is MEXC, `bg` is Bitget. */
export type ExchangeCode = (typeof EXCHANGES)[number]
export const EXCHANGE_NAMES: Record<ExchangeCode, string> = { mx: 'MEXC', bg: 'Bitget' }

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** Who may call: anybody, a signed-in administrator, or a bot with a client token. */
export type Access = 'public' | 'admin' | 'client'
export const ROLES = ['viewer', 'operator', 'admin'] as const
/**
 * What an administrator may do; each role may do what the ones before it may. A viewer reads
 * everything except secrets, an operator stops and tests, an admin changes clients, keys, people.
 */
export type Role = (typeof ROLES)[number]
export const PERMISSIONS = ['market', 'account', 'trade', 'settings', 'strategies'] as const
/**
 * What a client must be allowed to do: read market data, read its accounts, place and cancel
 * orders, change settings of the account, start what the exchange then trades on its own.
 */
export type Permission = (typeof PERMISSIONS)[number]
/** What a client may do when it is created without `permissions`. */
export const DEFAULT_PERMISSIONS = ['market', 'account', 'trade'] as const satisfies Permission[]
/** The order in which waiting requests go to an exchange: cancels first, market data last. */
export type RequestClass = 'cancel' | 'order' | 'account' | 'market'
export type Tag =
  | 'Authentication'
  | 'Administrators'
  | 'Client credentials'
  | 'API keys'
  | 'Logs and statistics'
  | 'Queue'
  | 'Orders'
  | 'Operations'
  | 'Token'
  | 'MEXC'
  | 'Bitget'
  | 'Raw routes'
  | 'Streams'
  | 'Requests and heartbeat'
  | 'Errors'

export interface EndpointSample {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly response?: unknown
}

/**
 * One call of the gateway, as everybody sees it: the gateway's route, OpenAPI, the console's page
 * and its form.
 */
export interface Endpoint {
  /** Unique; the OpenAPI operationId. */
  readonly id: string
  readonly method: Method
  /** Parameters in braces, as OpenAPI writes them. */
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  /** A paragraph for people: what it does, what it costs, what can surprise. */
  readonly description?: string
  /** Rules and limits, a sentence each, as the console and OpenAPI list them. */
  readonly notes?: readonly string[]
  readonly access: Access
  /** Only for `access: 'admin'`: the least role. `roleOf` has what counts when it is absent. */
  readonly role?: Role
  /**
   * Only for `access: 'admin'`: whether the person must have shown a factor in the last five
   * minutes. `second-factor`: only people who have a second factor must. `to-loosen`: only for a
   * change that allows more than before; tightening needs none.
   */
  readonly confirm?: 'always' | 'second-factor' | 'to-loosen'
  /**
   * Only for `access: 'admin'`: which of these calls wait for another administrator when
   * `REQUIRE_SECOND_ADMIN` is set, in words that complete "Waits for another administrator: ".
   */
  readonly approval?: string
  /**
   * Only for `access: 'admin'`: it is about the account of the caller alone. A person who must
   * have a second factor, and has none yet, may call nothing else.
   */
  readonly isOwnAccount?: true
  /** Only for `access: 'client'`: what it does, and where it goes. */
  readonly proxy?: {
    readonly exchange: ExchangeCode
    readonly permission: Permission
    readonly requestClass: RequestClass
  }
  /**
   * Only without `proxy`: each of several gateways on one database answers it itself, also while
   * none of them is the owner. It must only read the database or the configuration, besides an
   * entry of its own in the audit trail: what is in the memory of the process, as queues, limits
   * in use, throttles and waiting sign-ins are, only the owner has. Everything else goes to the
   * owner.
   */
  readonly anywhere?: true
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TSchema
  readonly bodyType?: 'application/json' | 'application/x-www-form-urlencoded'
  /** Of success; 200 when absent. */
  readonly status?: 101 | 200 | 201 | 202 | 204 | 302
  /** Absent: success has no body. */
  readonly response?: TSchema
  /** Of success, where it is not JSON; the sample is of the first. */
  readonly responseTypes?: readonly string[]
  readonly sample?: EndpointSample
}

/** Declares an endpoint and keeps its exact types. */
export function endpoint<const E extends Endpoint>(spec: E): E {
  return spec
}

/** The least role that may call an administrators' endpoint: reading is for everybody. */
export function roleOf({ role, method }: Pick<Endpoint, 'role' | 'method'>): Role {
  return role ?? (method === 'GET' ? 'viewer' : 'admin')
}

/** Whether a role includes another one. */
export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}

// `NoInfer` keeps the compiler from inferring `E` from an input or a response. Otherwise it
// computes the types of all schemas, which takes a third of its time.
type Part<E extends Endpoint, K extends 'params' | 'query' | 'body'> = E extends {
  readonly [P in K]: infer Schema extends TSchema
}
  ? { [P in K]: NoInfer<Static<Schema>> }
  : unknown
/** What a caller sends: the parts that the endpoint has. */
export type InputOf<E extends Endpoint> = Part<E, 'params'> & Part<E, 'query'> & Part<E, 'body'>
export type BodyOf<E extends Endpoint> = E extends { readonly body: infer Body extends TSchema }
  ? NoInfer<Static<Body>>
  : undefined
export type QueryOf<E extends Endpoint> = E extends { readonly query: infer Query extends TSchema }
  ? NoInfer<Static<Query>>
  : undefined
export type ParamsOf<E extends Endpoint> = E extends {
  readonly params: infer Params extends TSchema
}
  ? NoInfer<Static<Params>>
  : undefined
export type ResponseOf<E extends Endpoint> = E extends {
  readonly response: infer Response extends TSchema
}
  ? NoInfer<Static<Response>>
  : undefined

/** The address of a call: parameters and query percent-encoded, absent query values left out. */
export function urlOf(
  endpoint: Endpoint,
  input: { params?: Record<string, unknown>; query?: Record<string, unknown> } = {},
): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input.params?.[name]
    if (value === undefined) throw new Error(`${endpoint.id}: parameter "${name}" is missing`)
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== '') query.append(name, String(value))
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}
