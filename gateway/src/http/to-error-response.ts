import { jsonResponse, type StoredResponse } from '../upstream/stored-response.ts'
import { toErrorBody } from './errors.ts'

/**
 * The response for an error, as the caller gets it now, or later when it asks for the request
 * again.
 */
export function toErrorResponse(error: unknown, requestId: string): StoredResponse {
  const body = toErrorBody(error instanceof Error ? error : new Error(String(error)), requestId)
  return jsonResponse(body.statusCode, body)
}
