import type { FastifyRequest } from 'fastify'
import type { ExchangeCode, Permission } from 'schema'
import {
  type BotCallHead,
  permissionOf,
  readBotCallHead,
  withBodyKind,
} from '../../exchanges/bot-call.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The exchange's call, as the policy allowed it; null on every other route. */
    rawCall: BotCallHead | null
  }
}

/**
 * Returns a function that says which permission a call on an exchange's own path needs. It also
 * stores the call in the request, so that exactly what matched the policy is sent.
 * @param ours the prefix before the exchange's own path
 */
export function permissionReader(exchange: ExchangeCode, ours: string) {
  return (request: FastifyRequest): Permission => {
    request.rawCall ??= readBotCallHead(exchange, {
      // A HEAD gets the headers of the GET, as on every route; no exchange documents one.
      method: request.method === 'HEAD' ? 'GET' : request.method,
      target: request.url.startsWith(ours) ? request.url.slice(ours.length) : request.url,
      headers: request.headers,
    })
    return permissionOf(request.rawCall)
  }
}

/** Corrects the kind of the call by its body; the guard then checks the permission again. */
export async function readBodyKind(request: FastifyRequest): Promise<void> {
  if (request.rawCall !== null) request.rawCall = withBodyKind(request.rawCall, request.bodyText)
}
