import type { OrderFields, OrderParts } from '../../order-lookup/order-call.ts'
import { positiveOf } from '../../protocol/untrusted.ts'

/**
 * The two ends of a position, those that have a price, named as a call about one names them
 * (docs/exchanges/bitget.md, 5).
 */
export const positionLegs: OrderParts = {
  read(fields: OrderFields): OrderFields[] {
    const { symbol, productType, holdSide } = fields
    return ['stopSurplus', 'stopLoss'].flatMap((leg) => {
      const partOf = (name: string) => fields[`${leg}${name}`]
      if (positiveOf(partOf('TriggerPrice')) === undefined) return []
      return {
        ...{ leg, symbol, productType, holdSide },
        ...{ size: partOf('Size'), clientOid: partOf('ClientOid') },
        ...{ triggerPrice: partOf('TriggerPrice'), executePrice: partOf('ExecutePrice') },
      }
    })
  },
  clientIdName: ({ leg }) => `${leg}ClientOid`,
}
