import Type, { type Static } from 'typebox'
import { ExchangeObject, epochMs, OrderId, symbolOf } from './common.ts'

// What the requests and responses of Bitget's endpoints are made of.

export const symbol = symbolOf('BTCUSDT', 'Trading pair, for example `BTCUSDT`')
export const ClientOid = Type.String({
  pattern: '^[0-9A-Za-z_#+-]+$',
  minLength: 1,
  maxLength: 49,
  description:
    'Your own id for the order; the gateway generates one if absent. A unified account takes at most 32 characters, without `#` and `+`',
})
export const productType = Type.Enum(['USDT-FUTURES'], {
  default: 'USDT-FUTURES',
  description: 'Always `USDT-FUTURES`',
})
export const marginCoin = Type.Enum(['USDT'], { default: 'USDT', description: 'Always `USDT`' })
export const side = Type.Enum(['buy', 'sell'])
export const orderType = Type.Enum(['limit', 'market'])
export const force = Type.Enum(['gtc', 'ioc', 'fok', 'post_only'], {
  default: 'gtc',
  description: 'How long a limit order stays open; ignored for market orders',
})
export const PRICE_NOTE = 'Price is required for limit orders.'
export const QUEUE_NOTE = 'At most 2 requests per second go to Bitget, one after another.'
export const ANY_ORDER_NOTE = 'Give orderId or clientOid; if both are given, orderId is used.'

export const HISTORY_NOTE =
  'On a unified account a span of more than 30 days takes one request at Bitget for each 30 days, until there are enough orders.'

export const BgOrderResult = Type.Object({
  success: Type.Boolean(),
  data: Type.Object({
    orderId: Type.Union([Type.String(), Type.Null()], {
      description:
        'Null when Bitget returns none, which happens for a one-way reduce-only order that displaces others',
    }),
    clientOid: Type.String(),
  }),
  message: Type.Optional(
    Type.String({ description: 'What could not be done although the order was placed' }),
  ),
})
export type BgOrderResult = Static<typeof BgOrderResult>

export const BgList = Type.Object({ success: Type.Boolean(), data: Type.Array(ExchangeObject) })
export const BgOne = Type.Object({ success: Type.Boolean(), data: ExchangeObject })

/** A sample. */
export const orderResponse = {
  success: true,
  data: { orderId: '1253261109769874438', clientOid: 'grid-7-42' },
}
/** Which order is meant: one of the two is given. */
export const byOrder = {
  orderId: Type.Optional(OrderId),
  clientOid: Type.Optional(Type.String({ ...ClientOid, description: 'Instead of orderId' })),
}
/** A part of a history. */
export const page = {
  startTime: Type.Optional(epochMs('Unix milliseconds; at most 90 days ago')),
  endTime: Type.Optional(epochMs('Unix milliseconds')),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 100, description: 'Orders in one page' }),
  ),
  idLessThan: Type.Optional(
    Type.String({
      pattern: '^[0-9]+$',
      maxLength: 30,
      description: 'Only orders older than this id, to get the next page',
    }),
  ),
}
/** What an endpoint needs, and where its calls stand in the queue. */
export const placesOrder = { exchange: 'bg', permission: 'trade', requestClass: 'order' } as const
export const cancelsOrder = { exchange: 'bg', permission: 'trade', requestClass: 'cancel' } as const
export const account = { exchange: 'bg', permission: 'account', requestClass: 'account' } as const
export const marketData = { exchange: 'bg', permission: 'market', requestClass: 'market' } as const
