import { type Endpoint, urlOf } from 'schema'

const FORM = 'application/x-www-form-urlencoded'

export interface SampleCall {
  readonly method: Endpoint['method']
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string | object
}

/** What a caller puts into a call, right or wrong. */
export interface CallInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** A call of an endpoint with its parts in the address and the body, as the endpoint takes them. */
export function requestOf(endpoint: Endpoint, { params, query, body }: CallInput): SampleCall {
  const { method, bodyType } = endpoint
  const url = urlOf(endpoint, {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
  })
  if (body === undefined) return { method, url }
  if (typeof body === 'string' || bodyType !== FORM)
    return { method, url, payload: typeof body === 'string' ? body : Object(body) }
  return {
    ...{ method, url, headers: { 'content-type': FORM } },
    payload: new URLSearchParams(Object(body)).toString(),
  }
}

/** A call of an endpoint as the catalogue's own sample has it. */
export const sampleCall = (endpoint: Endpoint): SampleCall =>
  requestOf(endpoint, endpoint.sample ?? {})
