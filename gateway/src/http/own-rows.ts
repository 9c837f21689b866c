import type { FastifyInstance } from 'fastify'
import { idsAskedIn } from '../exchanges/named-ids.ts'
import type { OrderOwners } from '../orders/order-owners.ts'
import { withoutRowsOfOthers } from '../orders/own-rows.ts'
import { permissionFor } from './route.ts'

/**
 * Leaves out of what bots read of their account the orders and fills of other clients with the same
 * exchange key: on the exchanges' own paths and on the documented ones. `X-Rows-Left-Out` says how
 * many. A read of one such order is refused.
 */
export function leaveOutRowsOfOthers(
  app: FastifyInstance,
  owners: Pick<OrderOwners, 'ofOthersAmong' | 'sharesKey'>,
): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { caller, routeOptions } = request
    const exchange = routeOptions.config.endpoint?.proxy?.exchange
    if (caller?.kind !== 'client' || exchange === undefined) return payload
    if (reply.statusCode >= 300 || permissionFor(request) !== 'account') return payload
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    const reader = { clientRef: caller.clientRef, exchange }
    if (!(await owners.sharesKey(reader))) return payload
    reply.removeHeader('content-length')
    const asked = idsAskedIn(request.url, request.bodyText)
    const own = await withoutRowsOfOthers(owners, reader, payload.toString(), asked)
    if (own === undefined) return payload
    reply.header('x-rows-left-out', own.leftOut)
    return own.text
  })
}
