import { createError } from '@fastify/error'

/** The control interface cannot carry out the command. */
export const ControlInputError = createError<[problem: string, options?: ErrorOptions]>(
  'PAPER_CONTROL_INPUT',
  '%s',
  400,
)

/** Neither an exchange nor the control interface has this address. */
export const RouteNotFoundError = createError<[method: string, url: string]>(
  'PAPER_ROUTE_NOT_FOUND',
  'Route %s:%s not found',
  404,
)
