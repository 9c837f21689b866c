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

export const to = (url: string, fields: unknown): ThiefCall => ({ url, fields })

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
    ...{ base, side: dice.pick(['buy', 'buy', 'sell'] as const) },
    price: dice.chance(0.35) ? undefined : price.toFixed(priceDecimals),
    ...{ size: (steps * step).toFixed(decimals), quote: value.toFixed(2) },
  }
}

const shared = { productType: 'USDT-FUTURES', marginMode: 'crossed', marginCoin: 'USDT' }

/** How an order is written in each family, by the documented routes and by the drop-in ones. */
const FORMS = {
  mexcSpot: (draft) => ({ url: `/mx/api/v3/order?${queryOf(spotFields(draft))}` }),
  mexcSpotForm: (draft) => ({
    ...{ url: '/mx/api/v3/order', text: queryOf(spotFields(draft)), isForm: true },
  }),
  mexcTest: (draft) => ({ url: `/mx/api/v3/order/test?${queryOf(spotFields(draft))}` }),
  mexcFutures: (draft) => to('/mx/api/v1/private/order/create', contractFields(draft)),
  mexcDocumented: ({ base, side, price, size }) =>
    to('/api/mx/v1/submitOrder', {
      ...{ symbol: `${base}USDT`, side: side.toUpperCase(), quantity: size },
      ...(price === undefined ? { type: 'MARKET' } : { type: 'LIMIT', price }),
    }),
  mexcDocumentedFutures: ({ base, side, price, size }) =>
    to('/api/mx/v1/submitOrder', {
      ...{ symbol: `${base}_USDT`, side: side.toUpperCase(), quantity: size },
      ...(price === undefined ? { type: 'MARKET' } : { type: 'LIMIT', price }),
    }),
  bitgetSpot: (draft) => to('/bg/api/v2/spot/trade/place-order', coinFields(draft)),
  bitgetDocumented: (draft) => to('/api/bg/v1/spot/trade/place-order', coinFields(draft)),
  bitgetFutures: (draft) =>
    to('/bg/api/v2/mix/order/place-order', { ...shared, ...mixFields(draft) }),
  bitgetDocumentedFutures: (draft) =>
    to('/api/bg/v1/futures/trade/place-order', { ...shared, ...mixFields(draft) }),
  unifiedSpot: (draft) => to('/bg/api/v3/trade/place-order', unifiedFields(draft, 'SPOT')),
  unifiedFutures: (draft) =>
    to('/bg/api/v3/trade/place-order', unifiedFields(draft, 'USDT-FUTURES')),
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

/** Fields that say how much is traded, at which price, of what. */
const AMOUNTS = ['quantity', 'quoteOrderQty', 'price', 'size', 'qty', 'vol'] as const
const ODD_NUMBERS = [
  ...['1e4', '1E+4', '-1', '0', '00', '.5', '5.', '+5', ' 5', '5 ', '5,000', '0x5', 'NaN'],
  ...['Infinity', '9007199254740993', '99999999999999999999', '0.00000000000000000001', ''],
]

/** The same order, written so that two readers may read it differently. */
export function twist(dice: Dice, call: ThiefCall): ThiefCall {
  const [base = '', query = ''] = call.url.split('?')
  if (query !== '') {
    const { query: changed, body } = twistPairs(dice, query)
    const more = body === '' ? {} : { text: body, isForm: dice.chance(0.7) }
    return { ...call, url: `${base}?${changed}`, ...more }
  }
  if (call.text !== undefined) {
    const { query: changed, body } = twistPairs(dice, call.text)
    return { ...call, text: changed, url: body === '' ? base : `${base}?${body}` }
  }
  return twistJson(dice, call)
}

/** A query or form; what goes to the other place is in `body`. */
function twistPairs(dice: Dice, text: string): { query: string; body: string } {
  const name = namedIn(dice, [...new URLSearchParams(text).keys()])
  const large = `${name}=${dice.pick(['1000', '100000', ...ODD_NUMBERS])}`
  const alike = large.replace(name, likeName(dice, name))
  return dice.pick([
    { query: `${text}&${large}`, body: '' },
    { query: `${large}&${text}`, body: '' },
    { query: text, body: large },
    { query: text, body: alike },
    { query: `${text}&${alike}`, body: '' },
    { query: `${text};${large}`, body: '' },
    { query: text.replace(new RegExp(`(^|&)${name}=[^&]*`), `$1${large}`), body: '' },
    { query: '', body: text },
    { query: text.replace('USDT', 'usdt'), body: '' },
    {
      query: text.replace('USDT', dice.pick(['USDC', '_USDT', 'USDT ', '-USDT', 'USD'])),
      body: '',
    },
  ])
}

function twistJson(dice: Dice, call: ThiefCall): ThiefCall {
  const text = JSON.stringify(call.fields)
  const name = namedIn(dice, Object.keys(Object(call.fields)))
  const odd = dice.pick(['"1000"', '100000', '1e9', ...ODD_NUMBERS.map((each) => `"${each}"`)])
  const member = `"${name}":${odd}`
  const alike = member.replace(name, likeName(dice, name))
  const written = new RegExp(`"${name}":(?:"[^"]*"|[^,}]+)`)
  const type = { 'content-type': dice.pick(['text/plain', 'application/x-www-form-urlencoded']) }
  return {
    ...call,
    ...dice.pick<Partial<ThiefCall>>([
      { text: text.replace('{', `{${member},`) },
      { text: text.replace(/\}$/, `,${member}}`) },
      { text: text.replace(/\}$/, `,${alike}}`) },
      { text: text.replace(written, member) },
      { text: text.replace(written, `"${name}":{"value":${odd}}`) },
      { text, url: `${call.url}?${name}=1000` },
      { text: `[${text}]` },
      { text: `${text}${text}` },
      { text: text.replace('USDT"', dice.pick(['usdt"', 'USDC"', 'USD"', 'USDT_UMCBL"'])) },
      {
        text: text.replace(
          'USDT-FUTURES',
          dice.pick(['COIN-FUTURES', 'USDC-FUTURES', 'SUSDT-FUTURES']),
        ),
      },
      { text: new URLSearchParams(Object.entries(Object(call.fields))).toString(), isForm: true },
      { text, headers: type },
      { text: text.replace(/\}$/, ',"stpMode":"a&quantity=1000"}') },
      { text: text.replace(/\}$/, ',"marketCeiling":true,"flashClose":true}') },
      { text: text.replace(/\}$/, ',"reduceOnly":"YES","tradeSide":"open"}') },
      { text: text.replace(/\}$/, ',"leverage":100}') },
      { text: `\ufeff${text}` },
    ]),
  }
}

function namedIn(dice: Dice, names: readonly string[]): string {
  const amounts = AMOUNTS.filter((name) => names.includes(name))
  return amounts.length === 0 ? 'size' : dice.pick(amounts)
}

/** A name that some parser takes for the same one. */
function likeName(dice: Dice, name: string): string {
  return dice.pick([
    name.toUpperCase(),
    ` ${name}`,
    `${name} `,
    `${name}[]`,
    `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`),
  ])
}
