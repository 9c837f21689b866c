import type { FastifyRequest } from 'fastify'

/**
 * The row id of the client that sent a request.
 * @throws when the route has no guard for clients: a bug
 */
export function clientRefOf({ caller, url }: FastifyRequest): number {
  if (caller?.kind !== 'client') throw new Error(`${url} has no guard for clients`)
  return caller.clientRef
}
