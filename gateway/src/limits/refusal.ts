import type { LimitCode } from 'schema'

/** Why a limit refuses a call. */
export interface Refusal {
  readonly code: LimitCode
  readonly message: string
  readonly limit: string
  readonly value: string | null
  /** Whether the same call may be accepted a little later. */
  readonly passes?: boolean
}

export function refuse(
  code: LimitCode,
  message: string,
  limit: string,
  value: string | undefined = undefined,
): Refusal {
  return { code, message, limit, value: value ?? null }
}
