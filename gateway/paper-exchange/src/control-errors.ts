import { createError } from '@fastify/error'

/** The control interface cannot carry out the command. */
export const ControlInputError = createError<[problem: string, options?: ErrorOptions]>(
  'PAPER_CONTROL_INPUT',
  '%s',
  400,
)
