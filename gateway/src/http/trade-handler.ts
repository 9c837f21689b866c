import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ExchangeCode, getRequest, urlOf } from 'schema'
import type { PlaceOnce, TradeRequest } from '../orders/place-order.ts'
import type { TradeErrand } from '../upstream/request-context.ts'
import type { StoredAnswer } from '../upstream/stored-response.ts'
import { errandOf } from './errand.ts'
import { prefersAsync } from './headers.ts'
import { fingerprintOf, readIdempotencyKey } from './idempotency-key.ts'

/** Does the work of a request that trades, and says what to answer. */
export type TradeWork = (errand: TradeErrand) => Promise<StoredAnswer>

/** What tells a request from another one with the same idempotency key. */
export interface Payload {
  readonly url: string
  readonly body: unknown
}

export type Trade = (
  request: FastifyRequest,
  reply: FastifyReply,
  work: TradeWork,
  payload?: Payload,
) => Promise<FastifyReply>

/**
 * Carries out what trades, once: `Idempotency-Key` replays the first answer, `Prefer: respond-async` answers 202
 * with the address to ask at.
 */
export function createTrade(exchange: ExchangeCode, placeOnce: Pick<PlaceOnce, 'place'>): Trade {
  return async (request, reply, work, { url, body } = request) => {
    const errand = errandOf(request)
    const isAsync = prefersAsync(request.headers.prefer)
    const trade: TradeRequest = {
      id: request.id,
      clientRef: errand.clientRef,
      clientId: errand.clientId,
      exchange,
      method: request.method,
      endpoint: errand.endpoint,
      fingerprint: fingerprintOf(request.method, url, body),
      idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
      ...(isAsync || errand.signal === undefined ? {} : { hangUp: errand.signal }),
    }
    const { id, isReplay, answer } = await placeOnce.place(trade, (ticket, signal) =>
      work({ ...errand, signal, ticket }),
    )
    const location = urlOf(getRequest, { params: { id } })
    // The request to ask after is the first one with the key: this one is not in the journal.
    if (isReplay) reply.headers({ 'idempotency-replayed': 'true', location })
    if (!isAsync) return sendStored(reply, await answer)
    // A refusal that comes at once is told at once; what becomes of the rest is in the journal.
    const soon = await Promise.race([answer, nextTurn()])
    if (soon !== undefined) return sendStored(reply, soon)
    return reply
      .code(202)
      .headers({ location, 'preference-applied': 'respond-async' })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ id, state: 'queued', location }))
  }
}

/** Long enough for a refusal that needs no exchange: a full queue, a used key. */
function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(undefined))))
}

function sendStored(reply: FastifyReply, answer: StoredAnswer): FastifyReply {
  return reply
    .code(answer.statusCode)
    .headers(answer.headers ?? {})
    .type(answer.contentType)
    .send(answer.body)
}
