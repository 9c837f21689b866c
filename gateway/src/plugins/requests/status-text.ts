import type { OrderRequestStatus } from 'schema'

/** A status whose answer is still the text that was told. */
export interface StatusWithText extends Omit<OrderRequestStatus, 'answer'> {
  readonly answer: { readonly statusCode: number; readonly body: string } | null
}

/**
 * The JSON of a status. The body of the answer goes in as it was told, byte for byte: read and written again, an order
 * id above 2^53 would become another one. What is not JSON, such as an exchange's error page, goes in as text.
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
    return false // Then it goes on as text, whole.
  }
}
