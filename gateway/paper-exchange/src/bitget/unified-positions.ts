import { positionsOf } from '../account.ts'
import { OrderRejectedError } from '../errors.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { fieldNames } from '../params.ts'
import type { Position } from '../position.ts'
import { closePosition } from './mix-close.ts'
import { BitgetRejection, toBitgetRejection } from './rejection.ts'
import { perSecond } from './spot-market.ts'
import { toIds } from './unified-lookup.ts'
import { wantedMarkets } from './unified-scope.ts'
import { toPositionView } from './unified-views.ts'

/** What is held on Bitget v3, below `/api/v3/position`. */
export const unifiedPositionEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/current-position',
    access: 'read',
    limit: perSecond(20),
    respond(call) {
      const held = wantedPositions(call)
      // Null was seen live, with no cursor beside it.
      if (held.length === 0) return { list: null }
      return { list: held.map((each) => toPositionView(call.venue, call.account, each)) }
    },
  },
]

const CLOSE_FIELDS = fieldNames('category symbol posSide')

/** Closes what is held, at the market; below `/api/v3/trade`. */
export const unifiedCloseEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/close-positions',
    access: 'trade',
    limit: perSecond(5),
    respond(call) {
      call.params.only(CLOSE_FIELDS)
      const held = wantedPositions(call)
      if (held.length === 0) throw new BitgetRejection('25227', 'No position to close')
      return { list: held.map((position) => closeOne(call, position)) }
    },
  },
]

/** Of `category`, and of `symbol` and `posSide` where they are named. */
function wantedPositions(call: SignedCall): readonly Position[] {
  const markets = wantedMarkets(call)
  const posSide = call.params.choice('posSide', ['long', 'short'])
  return positionsOf(call.account)
    .filter(({ market }) => markets.includes(market))
    .filter(({ side }) => posSide === undefined || side === posSide)
}

function closeOne(call: SignedCall, position: Position): Json {
  const clientId = call.venue.nextId()
  try {
    return { ...toIds(closePosition(call, position, clientId)), code: '00000', msg: 'success' }
  } catch (error) {
    if (!(error instanceof OrderRejectedError)) throw error
    const { code, message } = toBitgetRejection(error, 'unified')
    return { orderId: '', clientOid: clientId, code, msg: message }
  }
}
