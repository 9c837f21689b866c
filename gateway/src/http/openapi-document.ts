import {
  ApprovalNeeded,
  BOT_TAGS,
  catalogue,
  type Endpoint,
  ERROR_RESPONSES,
  errorStatusesOf,
  isOrderCall,
  oauthToken,
  orderErrorCodes,
  PERMISSION_TEXTS,
  PROXY_HEADERS,
  QueuedOrder,
  REQUEST_HEADERS,
  rawCalls,
  roleOf,
  TAG_TEXTS,
  type Tag,
} from 'schema'
import { VERSION } from '../version.ts'
import {
  type Components,
  contentOf,
  createComponents,
  JSON_TYPE,
  type Json,
  jsonOf,
  listOf,
} from './openapi-components.ts'

/** Whose calls a document describes. */
export type Audience = 'bots' | 'administrators'

const INFO = {
  bots: {
    title: 'Sluice',
    summary: 'A rate-limited, authenticated gateway in front of MEXC and Bitget',
    description:
      'Get a token, then place orders. Send each order with an `Idempotency-Key`, so that a retry places nothing twice. Every error has a stable `code`; decide by `outcome` and `retryable` where they are given; the last section lists all codes. Administrators have [a page of their own](/docs/admin).',
  },
  administrators: {
    title: 'Sluice for administrators',
    summary: 'What the console calls',
    description:
      'The calls of people and of the console, with the token from `POST /auth/login`, and those of the operator. Bots have [a page of their own](/docs).',
  },
} as const satisfies Record<Audience, Json>

const SECURITY: Readonly<Record<Audience, Json>> = {
  bots: {
    client: {
      type: 'oauth2',
      description:
        'A token from `POST /oauth/token`, or from `POST /auth/token`. Without a choice below, it may do all that the client may.',
      flows: { clientCredentials: { tokenUrl: oauthToken.path, scopes: PERMISSION_TEXTS } },
    },
  },
  administrators: {
    admin: {
      ...{ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      description: 'A token from `POST /auth/login`',
    },
  },
}

/**
 * The OpenAPI 3.1 document of the calls of bots, or of administrators, from the catalogue, in the
 * order of its sections.
 */
export function describeApi(audience: Audience) {
  const endpoints = [...catalogue, ...rawCalls].filter(
    ({ tag }) => BOT_TAGS.includes(tag) === (audience === 'bots'),
  )
  const tags = audience === 'bots' ? BOT_TAGS : [...new Set(endpoints.map(({ tag }) => tag))]
  const components = createComponents()
  const paths: Record<string, Json> = {}
  for (const endpoint of tags.flatMap((tag) => endpoints.filter((each) => each.tag === tag)))
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operationOf(endpoint, components),
    }
  return {
    openapi: '3.1.0',
    info: { ...INFO[audience], version: VERSION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/', description: 'This gateway' }],
    tags: tags.map((name) => ({ name, description: textOfTag(name) })),
    paths,
    components: { ...components.used, securitySchemes: SECURITY[audience] },
  }
}

/** Of the errors, also what each status means and the codes of orders that have it. */
function textOfTag(name: Tag): string {
  if (name !== 'Errors') return TAG_TEXTS[name]
  const rows = Object.entries(ERROR_RESPONSES).map(
    ([status, { description }]) =>
      `| ${status} | ${description} | ${listOf(orderErrorCodes(Number(status)))} |`,
  )
  const head = [
    '| Status | It means | Codes of orders, changes and cancels |',
    '| --- | --- | --- |',
  ]
  return [TAG_TEXTS[name], '', ...head, ...rows].join('\n')
}

function operationOf(endpoint: Endpoint, components: Components): Json {
  const { access, approval, body, bodyType = JSON_TYPE, confirm, sample = {} } = endpoint
  const errors = errorStatusesOf(endpoint)
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...textOf(endpoint),
    security: access === 'public' ? [] : [{ [access]: [] }],
    ...(access === 'admin' ? { 'x-role': roleOf(endpoint) } : {}),
    ...(confirm === undefined ? {} : { 'x-confirm': confirm }),
    ...(approval === undefined ? {} : { 'x-approval': approval }),
    parameters: parametersOf(endpoint, components),
    ...(body === undefined ? {} : { requestBody: bodyOf() }),
    responses: {
      ...successesOf(endpoint, components),
      ...Object.fromEntries(errors.map((status) => [status, components.error(endpoint, status)])),
      ...(endpoint.tag === 'Raw routes' ? { default: OF_EXCHANGE } : {}),
    },
  }

  function bodyOf(): Json {
    const content = contentOf([bodyType], components.schema(body), sample.body)
    return { required: true, content }
  }
}

const OF_EXCHANGE = { description: "Any other response is the exchange's own, byte for byte" }

function textOf({ description, notes = [], approval }: Endpoint): Json {
  const waits = `With \`REQUIRE_SECOND_ADMIN\`, it waits for another administrator and returns 202 (${approval}).`
  const all = approval === undefined ? notes : [...notes, waits]
  const lines = [description ?? [], all.map((note) => `- ${note}`)].flat()
  return lines.length === 0 ? {} : { description: lines.join('\n') }
}

function parametersOf({ params, query, proxy, sample }: Endpoint, { schema }: Components): Json[] {
  const of = (place: 'path' | 'query', parameters: Endpoint['query'], values: Json = {}) =>
    Object.entries(parameters?.properties ?? {}).map(([name, property]): Json => {
      const { description: _ofParameter, ...type } = Object(schema(property))
      const isRequired = parameters?.required?.includes(name) === true
      const value = type.type === 'integer' ? Number(values[name]) : values[name]
      const example = Object.hasOwn(values, name) ? { example: value } : {}
      const { description } = Object(property)
      return { name, in: place, required: isRequired, description, schema: type, ...example }
    })
  const headers: (keyof typeof REQUEST_HEADERS)[] = [
    ...(proxy?.permission === 'trade' ? (['Idempotency-Key'] as const) : []),
    ...(proxy === undefined ? [] : (['Prefer'] as const)),
    ...(proxy?.permission === 'market' ? (['Cache-Control'] as const) : []),
  ]
  return [
    ...of('path', params, sample?.params),
    ...of('query', query, sample?.query),
    ...headers.map((name) => ({
      ...{ name, in: 'header', description: REQUEST_HEADERS[name], schema: { type: 'string' } },
    })),
  ]
}

function successesOf(endpoint: Endpoint, { schema, headers }: Components): Json {
  const { approval, proxy, response, responseTypes = [JSON_TYPE], sample, status = 200 } = endpoint
  const isOrder = isOrderCall(endpoint)
  const done = {
    description: 'Done',
    headers: headers([
      ...(proxy === undefined ? (['X-Request-Id'] as const) : PROXY_HEADERS),
      ...(isOrder ? (['Location', 'Idempotency-Replayed'] as const) : []),
      ...(proxy?.permission === 'market' ? (['Age'] as const) : []),
    ]),
    ...(response === undefined
      ? {}
      : { content: contentOf(responseTypes, schema(response), sample?.response) }),
  }
  return {
    [status]: done,
    ...(approval === undefined
      ? {}
      : {
          202: {
            description: 'Waits for another administrator',
            content: jsonOf(schema(ApprovalNeeded)),
          },
        }),
    ...(isOrder
      ? {
          202: {
            description: 'With `Prefer: respond-async`: the order is in the queue',
            headers: headers(['X-Request-Id', 'Location', 'Preference-Applied']),
            content: jsonOf(schema(QueuedOrder)),
          },
        }
      : {}),
  }
}
