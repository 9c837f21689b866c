import type { Endpoint, PublicCall, PublicEndpoint } from '../family.ts'
import type { Market } from '../market.ts'
import { candleRows } from './granularity.ts'
import { perSecond } from './spot-market.ts'
import { type Traded, tapeRows } from './tape-rows.ts'

interface Tape {
  /** The market that a call names. @throws BitgetRejection */
  readonly marketOf: (call: PublicCall) => Market
  /** Its trades, newest first. */
  readonly tradesOf: (call: PublicCall, market: Market) => readonly Traded[]
  readonly tradesPerSecond: number
}

/**
 * Public trade data that spot and futures present alike: candles and trades, each at two addresses.
 */
export function tapeEndpoints({ marketOf, tradesOf, tradesPerSecond }: Tape): Endpoint[] {
  const open = (path: string, rate: number, respond: PublicEndpoint['respond']): Endpoint => ({
    method: 'GET',
    path,
    access: 'public',
    limit: perSecond(rate),
    respond,
  })
  const candles = (call: PublicCall) => candleRows(call, marketOf(call))
  const trades = (call: PublicCall) => tapeRows(call, tradesOf(call, marketOf(call)))
  return [
    open('/market/candles', 20, candles),
    open('/market/history-candles', 20, candles),
    open('/market/fills', tradesPerSecond, trades),
    open('/market/fills-history', tradesPerSecond, trades),
  ]
}
