/** The address of the gateway: `SLUICE_URL` of the environment. */
export const SLUICE: string

/** What Sluice says of an error of its own. Decide by `retryable` and `outcome`, else by `code`. */
export interface SluiceError {
  readonly statusCode: number
  readonly code: string
  readonly message: string
  readonly requestId: string
  readonly outcome?: 'not-sent' | 'not-done' | 'unknown'
  readonly retryable?: boolean
  readonly [field: string]: unknown
}

/** The fields of an error that Sluice made; the exchange's own errors have none of them. */
export interface ViaSluice {
  readonly sluice?: SluiceError
  readonly outcome?: SluiceError['outcome']
  readonly retryable?: boolean
}

/**
 * The Authorization header, with a token that is valid for at least another minute.
 * @param rejected a header that the gateway rejected with 401: its token is replaced
 */
export function bearer(rejected?: string): Promise<string>

/**
 * The headers of a WebSocket, with the token of the moment in which they are read; it is renewed
 * while the program runs. Await `bearer()` before the first.
 */
export const socketHeaders: { readonly Authorization: string }

/** fetch with the token. On 401 it tries once more with a new token. */
export function sluiceFetch(url: string, options?: RequestInit): Promise<Response>

/** The error with what Sluice says of it. */
export function withSluice<E extends object>(error: E, sluice: SluiceError): E & ViaSluice
