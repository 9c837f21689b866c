import { createError } from '@fastify/error'

/** Nothing was done: no node has the exchange, or the one that has it cannot be reached. */
export const OwnerUnreachableError = createError<[exchange: string, options?: ErrorOptions]>(
  'OWNER_UNREACHABLE',
  'The node of this gateway that sends to %s cannot be reached; another one takes over within seconds. Nothing was sent',
  503,
)

/** For what places no order. An order has an unknown outcome instead. */
export const OwnerConnectionLostError = createError<[exchange: string, options?: ErrorOptions]>(
  'OWNER_CONNECTION_LOST',
  'The connection to the node of this gateway that sends to %s broke before its response; the request may have been carried out',
  504,
)

/** At the start: the setting has to change, or whatever uses the address has to stop. */
export const NodeListenError = createError<[address: string, why: string, options?: ErrorOptions]>(
  'NODE_LISTEN_UNUSABLE',
  'The gateway cannot listen for other gateways at %s: %s. Set NODE_LISTEN, or the port in NODE_URL',
)
