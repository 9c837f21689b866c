import { createError } from '@fastify/error'

/** Nothing was done: no node is the owner, or the owner cannot be reached. */
export const OwnerUnreachableError = createError<[options?: ErrorOptions]>(
  'OWNER_UNREACHABLE',
  'No node of this gateway could take the request for its exchanges; another one takes over within seconds. Nothing was sent',
  503,
)

/** It has the code of OwnerUnreachableError, because callers do the same about both. */
export const TooManyParkedError = createError<[number: number]>(
  'OWNER_UNREACHABLE',
  'No node of this gateway sends to the exchanges at the moment, and %s requests already wait for the next one. Nothing was sent',
  503,
)

/** For what places no order. An order has an unknown outcome instead. */
export const OwnerConnectionLostError = createError<[options?: ErrorOptions]>(
  'OWNER_CONNECTION_LOST',
  'The connection to the node of this gateway that had the request broke before its response; the request may have been carried out',
  504,
)

/** At the start: the setting has to change, or whatever uses the address has to stop. */
export const NodeListenError = createError<[address: string, why: string, options?: ErrorOptions]>(
  'NODE_LISTEN_UNUSABLE',
  'The gateway cannot listen for other gateways at %s: %s. Set NODE_LISTEN, or the port in NODE_URL',
)
