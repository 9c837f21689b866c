import type { UpstreamAnswer } from '../exchanges/exchange.ts'

/** An answer as it is kept and told again, byte for byte. */
export interface StoredAnswer {
  readonly statusCode: number
  readonly contentType: string
  readonly body: string
  /** What the exchange told besides; not kept, so that a replay has none. */
  readonly headers?: Readonly<Record<string, string>>
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export function jsonAnswer(statusCode: number, body: unknown): StoredAnswer {
  return { statusCode, contentType: JSON_TYPE, body: JSON.stringify(body) }
}

/** Of an exchange's headers, what a caller gets besides the type: what is left of its own limits. */
const PASSED_HEADERS = ['retry-after', 'x-mbx-used-remain-limit'] as const

export function passedHeaders({ headers }: UpstreamAnswer): Record<string, string> {
  return Object.fromEntries(
    PASSED_HEADERS.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/** An exchange's answer, to be told as it is. */
export function toStoredAnswer(answer: UpstreamAnswer): StoredAnswer {
  const type = answer.headers['content-type']
  return {
    statusCode: answer.status,
    contentType: typeof type === 'string' ? type : JSON_TYPE,
    body: answer.body.toString(),
    headers: passedHeaders(answer),
  }
}
