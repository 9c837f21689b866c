import { mxGetAccountInfo, mxOrderHistory, mxOrderStatus } from 'schema'
import * as futuresAccount from '../../exchanges/mexc-futures/balances.ts'
import * as futures from '../../exchanges/mexc-futures/calls.ts'
import { oneOrder, orderList } from '../../exchanges/mexc-results.ts'
import * as spotAccount from '../../exchanges/mexc-spot/balances.ts'
import * as spot from '../../exchanges/mexc-spot/calls.ts'
import { documentedRead } from '../../http/documented-reads.ts'
import { callsFor } from './mx-market.ts'

/** The documented reads of MEXC. */
export const MX_READS = [
  documentedRead(mxOrderHistory, (query) => callsFor(query).orderHistoryCall(query), orderList),
  documentedRead(mxOrderStatus, (query) => callsFor(query).orderStatusCall(query), oneOrder),
  documentedRead(
    mxGetAccountInfo,
    ({ market }) => (market === 'futures' ? futures.accountCall() : spot.accountCall()),
    (data, { market }) =>
      market === 'futures' ? futuresAccount.balances(data) : spotAccount.balances(data),
  ),
]
