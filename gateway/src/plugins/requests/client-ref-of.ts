import type { FastifyRequest } from 'fastify'

/**
 * The client that sent a request.
 * @throws when the route has no guard for clients: a bug
 */
export function clientOf({ caller, url }: FastifyRequest) {
  if (caller?.kind !== 'client') throw new Error(`${url} has no guard for clients`)
  const { clientRef, clientId } = caller
  return { clientRef, clientId }
}

/** Its row id. @throws as `clientOf` */
export function clientRefOf(request: FastifyRequest): number {
  return clientOf(request).clientRef
}
