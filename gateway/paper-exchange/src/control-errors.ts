import { createError } from '@fastify/error'

/** The control interface cannot do what it is told. */
export const ControlInputError = createError<[problem: string, options?: ErrorOptions]>(
  'PAPER_CONTROL_INPUT',
  '%s',
  400,
)
