import { type Endpoint, urlOf } from 'schema'

const FORM = 'application/x-www-form-urlencoded'

export interface SampleCall {
  readonly method: Endpoint['method']
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string | object
}

/** A call of an endpoint as the catalogue's own sample has it. */
export function sampleCall(endpoint: Endpoint): SampleCall {
  const { method, sample = {}, bodyType } = endpoint
  const { params, query, body } = sample
  const url = urlOf(endpoint, {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
  })
  if (body === undefined) return { method, url }
  if (bodyType !== FORM) return { method, url, payload: Object(body) }
  return {
    method,
    url,
    headers: { 'content-type': FORM },
    payload: new URLSearchParams(Object(body)).toString(),
  }
}
