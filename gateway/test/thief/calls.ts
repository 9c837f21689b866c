import type { Dice } from './dice.ts'

/** What the thief wants to trade. */
export interface Draft {
  readonly base: Base
  readonly side: 'buy' | 'sell'
  /** Decimal; undefined for a market order. */
  readonly price: string | undefined
  /** Base coin, decimal. */
  readonly size: string
  /** What it costs about, quote coin, decimal. */
  readonly quote: string
}

/** A request, as JSON fields or as text. */
export interface ThiefCall {
  readonly method?: string
  readonly url: string
  readonly fields?: unknown
  readonly text?: string
  readonly isForm?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

export type Base = keyof typeof COINS

/** The smallest steps that every market takes, and base coin per contract on MEXC. */
export const COINS = {
  BTC: { step: 0.001, decimals: 3, priceDecimals: 1, contract: 0.0001 },
  ETH: { step: 0.01, decimals: 2, priceDecimals: 2, contract: 0.01 },
  SOL: { step: 0.1, decimals: 1, priceDecimals: 2, contract: 0.1 },
  DOGE: { step: 100, decimals: 0, priceDecimals: 5, contract: 100 },
} as const

export function draftOf(dice: Dice, priceOf: (base: Base) => number, value: number): Draft {
  const base = dice.pick(['BTC', 'BTC', 'BTC', 'ETH', 'ETH', 'SOL', 'DOGE'] as const)
  const { step, decimals, priceDecimals } = COINS[base]
  const last = priceOf(base)
  const price = last * dice.between(0.85, 1.15)
  const steps = Math.max(1, Math.round(value / last / step))
  return {
    base,
    side: dice.pick(['buy', 'buy', 'sell'] as const),
    price: dice.chance(0.35) ? undefined : price.toFixed(priceDecimals),
    size: (steps * step).toFixed(decimals),
    quote: value.toFixed(2),
  }
}

const shared = { productType: 'USDT-FUTURES', marginMode: 'crossed', marginCoin: 'USDT' }

/** How an order is written in each family, by the documented routes and by the drop-in ones. */
export const FORMS = {
  mexcSpot: (draft) => ({ url: `/mx/api/v3/order?${queryOf(spotFields(draft))}` }),
  mexcSpotForm: (draft) => ({
    url: '/mx/api/v3/order',
    text: queryOf(spotFields(draft)),
    isForm: true,
  }),
  mexcTest: (draft) => ({
    url: `/mx/api/v3/order/test?${queryOf(spotFields(draft))}`,
  }),
  mexcFutures: (draft) => ({
    url: '/mx/api/v1/private/order/create',
    fields: contractFields(draft),
  }),
  mexcDocumented: ({ base, side, price, size }) => ({
    url: '/api/mx/v1/submitOrder',
    fields: {
      ...{ symbol: `${base}USDT`, side: side.toUpperCase(), quantity: size },
      ...(price === undefined ? { type: 'MARKET' } : { type: 'LIMIT', price }),
    },
  }),
  mexcDocumentedFutures: ({ base, side, price, size }) => ({
    url: '/api/mx/v1/submitOrder',
    fields: {
      ...{ symbol: `${base}_USDT`, side: side.toUpperCase(), quantity: size },
      ...(price === undefined ? { type: 'MARKET' } : { type: 'LIMIT', price }),
    },
  }),
  bitgetSpot: (draft) => ({ url: '/bg/api/v2/spot/trade/place-order', fields: coinFields(draft) }),
  bitgetDocumented: (draft) => ({
    url: '/api/bg/v1/spot/trade/place-order',
    fields: coinFields(draft),
  }),
  bitgetFutures: (draft) => ({
    url: '/bg/api/v2/mix/order/place-order',
    fields: { ...shared, ...mixFields(draft) },
  }),
  bitgetDocumentedFutures: (draft) => ({
    url: '/api/bg/v1/futures/trade/place-order',
    fields: { ...shared, ...mixFields(draft) },
  }),
  unifiedSpot: (draft) => ({
    url: '/bg/api/v3/trade/place-order',
    fields: unifiedFields(draft, 'SPOT'),
  }),
  unifiedFutures: (draft) => ({
    url: '/bg/api/v3/trade/place-order',
    fields: unifiedFields(draft, 'USDT-FUTURES'),
  }),
} satisfies Readonly<Record<string, (draft: Draft) => ThiefCall>>

export type Form = keyof typeof FORMS

export const forms = Object.keys(FORMS) as Form[]

export function orderBy(form: Form, draft: Draft): ThiefCall {
  return { method: 'POST', ...FORMS[form](draft) }
}

export function spotFields({ base, side, price, size, quote }: Draft): Record<string, string> {
  const common = { symbol: `${base}USDT`, side: side.toUpperCase() }
  if (price !== undefined) return { ...common, type: 'LIMIT', quantity: size, price }
  const amount = side === 'buy' ? { quoteOrderQty: quote } : { quantity: size }
  return { ...common, type: 'MARKET', ...amount }
}

export function contractFields({ base, side, price, size }: Draft): Record<string, unknown> {
  return {
    ...{ symbol: `${base}_USDT`, side: side === 'buy' ? 1 : 3, openType: 2, leverage: 5 },
    vol: Math.round(Number(size) / COINS[base].contract),
    ...(price === undefined ? { type: 5 } : { type: 1, price }),
  }
}

export function coinFields({ base, side, price, size, quote }: Draft): Record<string, string> {
  const common = { symbol: `${base}USDT`, side }
  if (price !== undefined) return { ...common, orderType: 'limit', force: 'gtc', size, price }
  return { ...common, orderType: 'market', size: side === 'buy' ? quote : size }
}

export function mixFields({ base, side, price, size }: Draft): Record<string, string> {
  const common = { symbol: `${base}USDT`, side, size }
  if (price === undefined) return { ...common, orderType: 'market' }
  return { ...common, orderType: 'limit', force: 'gtc', price }
}

export function unifiedFields(draft: Draft, category: string): Record<string, string> {
  const { size, force, ...others } = category === 'SPOT' ? coinFields(draft) : mixFields(draft)
  return {
    ...{ category, qty: size ?? '0', ...others },
    ...(force === undefined ? {} : { timeInForce: force }),
  }
}

export function queryOf(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString()
}
