import { jsonAnswer, type StoredAnswer } from '../upstream/stored-response.ts'
import { toErrorBody } from './errors.ts'

/** An error as the answer that its caller gets, now or when the request is asked for again. */
export function toAnswer(error: unknown, requestId: string): StoredAnswer {
  const body = toErrorBody(error instanceof Error ? error : new Error(String(error)), requestId)
  return jsonAnswer(body.statusCode, body)
}
