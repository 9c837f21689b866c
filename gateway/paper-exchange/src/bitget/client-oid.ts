import type { SignedCall } from '../family.ts'
import { BitgetRejection } from './rejection.ts'

const LENGTH_MAX = 50
const UNUSUAL_LENGTH_MAX = 64

/**
 * A caller's client order id, or one of the exchange's own.
 * @throws BitgetRejection 40304 or 40305
 */
export function clientOidOf({ params, venue }: SignedCall, name = 'clientOid'): string {
  const clientOid = params.text(name)
  if (clientOid === undefined) return `BITGET#${venue.nextId()}`
  if (clientOid.length > UNUSUAL_LENGTH_MAX || !/^[\w+#:./@ -]*$/.test(clientOid)) {
    throw new BitgetRejection(
      '40305',
      'client_oid length is not greater than 64, and cannot be Martian characters',
    )
  }
  if (clientOid.length > LENGTH_MAX) {
    throw new BitgetRejection('40304', `${name} is longer than ${LENGTH_MAX} characters`)
  }
  return clientOid
}
