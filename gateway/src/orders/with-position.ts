import type { ExchangeCode } from 'schema'
import type { OrderCall } from '../exchanges/order-lookup/order-key.ts'
import type { PositionModes } from '../upstream/position-modes.ts'
import type { RequestContext } from '../upstream/request-context.ts'

/**
 * A call with symbol and side of the position that its order names by the id alone, where the
 * exchange says them.
 * @throws NotOwnerError when another node would have to ask
 */
export async function withPosition(
  positionModes: Pick<PositionModes, 'positionOf'>,
  context: RequestContext,
  exchange: ExchangeCode,
  orderCall: OrderCall,
): Promise<OrderCall> {
  const { order } = orderCall
  const { closes, symbol } = order ?? {}
  const positionId = closes?.positionId
  if (order === undefined || positionId === undefined || symbol !== undefined) return orderCall
  const position = await positionModes.positionOf(context, exchange, positionId)
  if (closes === undefined || position === undefined) return orderCall
  const { side } = position
  const named = { ...closes, inOneWay: side, inHedge: side }
  return { ...orderCall, order: { ...order, symbol: position.symbol, closes: named } }
}
