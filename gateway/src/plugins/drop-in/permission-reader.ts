import type { FastifyRequest } from 'fastify'
import type { ExchangeCode, Permission } from 'schema'
import { type BotCallHead, readBotCallHead } from '../../exchanges/bot-call.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The exchange's call that the request is, as the policy let it through; null on every other route. */
    rawCall: BotCallHead | null
  }
}

/**
 * Says what a client must be permitted for a call of the exchange's own, and keeps the call with the request: what was
 * matched with the policy is what is sent.
 * @param ours what of the address comes before the exchange's own path
 */
export function permissionReader(exchange: ExchangeCode, ours: string) {
  return (request: FastifyRequest): Permission => {
    request.rawCall ??= readBotCallHead(exchange, {
      // A HEAD is answered as the GET without its body, as everywhere here; no exchange documents one.
      method: request.method === 'HEAD' ? 'GET' : request.method,
      target: request.url.startsWith(ours) ? request.url.slice(ours.length) : request.url,
      headers: request.headers,
    })
    const { kind } = request.rawCall
    return kind === 'order' || kind === 'cancel' ? 'trade' : kind
  }
}
