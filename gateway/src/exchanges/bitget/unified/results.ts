import { type ExchangeObject, orderOf } from '../../protocol/response-parts.ts'
import { isRecord } from '../../protocol/untrusted.ts'

/**
 * One order in the response to `orderInfoCall`. v3 finds an order by its id in every market; an
 * order of another category or symbol counts as not found.
 * @throws ExchangeRejectedError when there is no such order
 */
export function oneOrderOf(
  data: unknown,
  wanted: Readonly<Record<string, string>>,
): ExchangeObject {
  const isOther = Object.entries(wanted).some(
    ([name, value]) => isRecord(data) && name in data && data[name] !== value,
  )
  return orderOf('Bitget', isOther ? undefined : data)
}
