import { createError } from '@fastify/error'
import type { Refusal } from './refusal.ts'

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
