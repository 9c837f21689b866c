import type { UpstreamAnswer } from '../exchanges/exchange.ts'

/** An answer as it is kept and told again, byte for byte. */
export interface StoredAnswer {
  readonly statusCode: number
  readonly contentType: string
  readonly body: string
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export function jsonAnswer(statusCode: number, body: unknown): StoredAnswer {
  return { statusCode, contentType: JSON_TYPE, body: JSON.stringify(body) }
}

/** An exchange's answer, to be told as it is. */
export function toStoredAnswer({ status, headers, body }: UpstreamAnswer): StoredAnswer {
  const type = headers['content-type']
  return {
    statusCode: status,
    contentType: typeof type === 'string' ? type : JSON_TYPE,
    body: body.toString(),
  }
}
