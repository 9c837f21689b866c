import { createError } from '@fastify/error'
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

export const refuseStopped = (reason: string): Refusal =>
  refuse(
    'LIMIT_HALTED',
    `This client is stopped until an administrator resumes it: ${reason}`,
    'halted',
  )

/** A refusal of an order that may only close what its client opened: nobody knows it just now. */
export function doubted(refusal: Refusal): Refusal {
  const why = 'How much of the position this client opened could not be read from the exchange'
  return { ...refusal, passes: true, message: `${refusal.message}. ${why}: try again` }
}

/** A limit of the client refuses the call. Nothing was sent. */
export class LimitError extends createError<[message: string]>(
  'LIMIT',
  '%s. Nothing was sent',
  422,
  Error,
  false,
) {
  readonly sent = false
  readonly retryable: boolean
  /** What the limit allows. */
  readonly limit: string
  /** What the call asks for; null where there is no number or name for it. */
  readonly value: string | null

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.code = refusal.code
    this.limit = refusal.limit
    this.value = refusal.value
    this.retryable = refusal.passes === true
  }
}
