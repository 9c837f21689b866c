import { jsonResponse, type StoredResponse } from '../upstream/stored-response.ts'
import { toErrorBody } from './errors.ts'

/** An error as the response that its caller gets, now or when the request is asked for again. */
export function toErrorResponse(error: unknown, requestId: string): StoredResponse {
  const body = toErrorBody(error instanceof Error ? error : new Error(String(error)), requestId)
  return jsonResponse(body.statusCode, body)
}
