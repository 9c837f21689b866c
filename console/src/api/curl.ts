import { type Endpoint, urlOf } from 'schema'
import { shellQuote } from '../components/shell-quote.ts'
import type { CallInput } from './client.ts'
import { gatewayUrl } from './gateway-url.ts'

export interface CurlOptions {
  /** The text after `Bearer`: a token, or a `shellVariable`. Absent: no such header. */
  readonly token?: string | undefined
  /** Absent: no such header. */
  readonly idempotencyKey?: string | undefined
}

/** The curl command that sends what the console would send, safe to paste into a POSIX shell. */
export function curlOf(
  endpoint: Endpoint,
  input: CallInput,
  { token, idempotencyKey }: CurlOptions = {},
): string {
  const { method } = endpoint
  const verb = method === 'GET' ? '' : `-X ${method} `
  const parts = [`curl ${verb}${shellQuote(`${gatewayUrl()}${urlOf(endpoint, input)}`)}`]
  if (token !== undefined) parts.push(`-H ${shellQuote(`Authorization: Bearer ${token}`)}`)
  if (idempotencyKey !== undefined)
    parts.push(`-H ${shellQuote(`Idempotency-Key: ${idempotencyKey}`)}`)
  if (input.body !== undefined) {
    parts.push(
      `-H 'Content-Type: application/json'`,
      `-d ${shellQuote(JSON.stringify(input.body, null, 2))}`,
    )
  }
  return parts.join(' \\\n  ')
}
