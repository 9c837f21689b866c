import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ExchangeCode } from 'schema'
import { idsAskedIn } from '../exchanges/named-ids.ts'
import { type OrderOwners, withoutRowsOfOthers } from '../orders/order-owners.ts'
import { permissionFor } from './route.ts'

type Owners = Pick<OrderOwners, 'ofOthersAmong' | 'othersWithKeyOf'>
interface Reader {
  readonly clientRef: number
  readonly exchange: ExchangeCode
}

/**
 * Leaves out of what bots read of their account the orders and fills of other clients with the same
 * exchange key: on the exchanges' own paths and on the documented ones. `X-Rows-Left-Out` says how
 * many. A read of one such order is refused.
 */
export function leaveOutRowsOfOthers(app: FastifyInstance, owners: Owners): void {
  // With a callback: whatever else is sent goes out in the same turn of the event loop.
  app.addHook('onSend', (request, reply, payload, done) => {
    const reader = reply.statusCode < 300 ? readerOf(request) : undefined
    if (reader === undefined) done(null, payload)
    else ownRowsOf(owners, reader, request, reply, payload).then((own) => done(null, own), done)
  })
}

/** Who reads its account with a request; undefined when it is no such read. */
function readerOf(request: FastifyRequest): Reader | undefined {
  const { caller, routeOptions } = request
  const exchange = routeOptions.config.endpoint?.proxy?.exchange
  if (caller?.kind !== 'client' || exchange === undefined) return undefined
  if (permissionFor(request) !== 'account') return undefined
  return { clientRef: caller.clientRef, exchange }
}

async function ownRowsOf(
  owners: Owners,
  reader: Reader,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
  const others = await owners.othersWithKeyOf(reader)
  if (others.length === 0) return payload
  reply.removeHeader('content-length')
  const asked = idsAskedIn(request.url, request.bodyText)
  const own = await withoutRowsOfOthers(owners, reader, others, payload.toString(), asked)
  if (own === undefined) return payload
  reply.header('x-rows-left-out', own.leftOut)
  return own.text
}
