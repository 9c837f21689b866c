import type { UpstreamResponse } from '../exchanges/exchange.ts'
import { adapters } from '../exchanges/registry.ts'

/** A response that is stored and sent again, byte for byte. */
export interface StoredResponse {
  readonly statusCode: number
  readonly contentType: string
  readonly body: string
  /** The exchange's headers that the caller gets. They are not stored, so a replay has none. */
  readonly headers?: Readonly<Record<string, string>>
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export function jsonResponse(statusCode: number, body: unknown): StoredResponse {
  return { statusCode, contentType: JSON_TYPE, body: JSON.stringify(body) }
}

/**
 * The exchange's headers that a caller gets besides the content type: they are about the exchange's
 * own limits.
 */
export const PASSED_HEADERS: readonly string[] = [
  'retry-after',
  ...adapters.all.flatMap(({ limits }) => limits.remainingHeader ?? []),
]

export function passedHeaders({ headers }: UpstreamResponse): Record<string, string> {
  return Object.fromEntries(
    PASSED_HEADERS.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/** An exchange's response, to be sent unchanged. */
export function toStoredResponse(response: UpstreamResponse): StoredResponse {
  const type = response.headers['content-type']
  return {
    statusCode: response.status,
    contentType: typeof type === 'string' ? type : JSON_TYPE,
    body: response.body.toString(),
    headers: passedHeaders(response),
  }
}
