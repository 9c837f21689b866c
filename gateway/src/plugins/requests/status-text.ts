import type { OrderRequestStatus } from 'schema'

/** A status whose `answer`, the stored response, still has its body as text. */
export interface StatusWithText extends Omit<OrderRequestStatus, 'answer'> {
  readonly answer: { readonly statusCode: number; readonly body: string } | null
}

/**
 * Serializes a status. The body of the stored response goes in byte for byte: parsed and serialized
 * again, an order id above 2^53 would change. A body that is not JSON, such as an exchange's error
 * page, goes in as a string.
 */
export function toStatusText({ answer, ...status }: StatusWithText): string {
  const head = JSON.stringify(status).slice(0, -1)
  if (answer === null) return `${head},"answer":null}`
  const body = isJson(answer.body) ? answer.body : JSON.stringify(answer.body)
  return `${head},"answer":{"statusCode":${answer.statusCode},"body":${body}}}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // It is inserted as a string.
  }
}
