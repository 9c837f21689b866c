import type { ContractOrder } from '../contract-order.ts'
import type { SignedCall } from '../family.ts'
import { contractOf } from './mix-scope.ts'
import { BitgetRejection, bitgetProblems } from './rejection.ts'

/**
 * Here a clientOid of futures stays taken for ever. The real exchange is said to check only pending
 * orders (docs/exchanges/bitget.md, 7).
 * @throws BitgetRejection 40786
 */
export function rejectDuplicate({ venue, account }: SignedCall, clientId: string): void {
  if (venue.contracts.orders.byClientId(account.name, clientId).length > 0) {
    throw new BitgetRejection('40786', 'Duplicate clientOid')
  }
}

/**
 * By `orderId`, which wins, or by `clientOid`; of the contract that is named.
 * @throws BitgetRejection
 */
export function wantedOrder(call: SignedCall): ContractOrder | undefined {
  const { venue, account, params } = call
  const market = contractOf(call)
  const orderId = params.text('orderId')
  const clientOid = params.text('clientOid')
  if (orderId === undefined && clientOid === undefined) throw bitgetProblems.missing('orderId')
  const order =
    orderId === undefined
      ? venue.contracts.orders.byClientId(account.name, clientOid ?? '')[0]
      : venue.contracts.orders.byId(account.name, orderId)
  return order?.market === market ? order : undefined
}
