import type { ContractOrder } from '../contract-order.ts'
import type { SignedCall } from '../family.ts'
import { contractOf } from './mix-scope.ts'
import { BitgetRejection, bitgetProblems } from './rejection.ts'

/**
 * A clientOid is taken while its order is pending, and free again after (docs/exchanges/bitget.md,
 * 7: the best-practice page of 2026).
 * @throws BitgetRejection 40786
 */
export function rejectDuplicate({ venue, account }: SignedCall, clientId: string): void {
  if (venue.habits.bitgetDuplicates === 'accept') return
  const known = venue.contracts.orders.byClientId(account.name, clientId)
  if (known.some(({ status }) => status === 'open'))
    throw new BitgetRejection('40786', 'Duplicate clientOid')
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
