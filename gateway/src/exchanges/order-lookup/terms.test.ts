import { expect, test } from 'vitest'
import { sentTerms, termsOf } from './order-call.ts'
import { compareTerms, type OrderTerms } from './order-key.ts'

const names = {
  ...({ side: 'side', kind: 'orderType', price: 'price', size: 'size' } as const),
  position: 'tradeSide',
} as const
const limit = { side: 'BUY', orderType: 'Limit', price: '1500.00', size: 1 }
const asSent = (fields: object, market: 'spot' | 'futures' = 'futures') =>
  sentTerms(names, { ...limit, ...fields }, market)

test('words compare in any case and decimals by value', () => {
  const amounts = { price: '1500', size: '1' }
  const words = { side: 'buy', position: 'open', kind: 'limit' }
  expect(asSent({ tradeSide: 'Open' })).toEqual({ ...words, ...amounts })
  const listed = { side: 'buy', price: '1.5e3', size: '1.000' }
  expect(termsOf(names, listed)).toMatchObject(amounts)
})

const NO_SIZE = { size: undefined }
test.each<[what: string, fields: object, terms: Partial<OrderTerms>]>([
  ['a market order has no price', { orderType: 'market' }, { price: undefined }],
  ['what closes may be cut', { tradeSide: 'close' }, { ...NO_SIZE, price: '1500', asked: '1' }],
  ['what reduces may be cut', { reduceOnly: 'YES' }, NO_SIZE],
  ['what reduces may be cut', { reduceOnly: true }, NO_SIZE],
  ['what does not reduce is not', { reduceOnly: 'no' }, { size: '1' }],
  ['a price that the exchange chooses is not known', { bboTypeNum: 1 }, { price: undefined }],
  [
    ...(['a type that comes back in more than one way is none', { orderType: 6 }] as const),
    { kind: undefined, price: undefined },
  ],
  ['zero is none', { price: '0', size: 0 }, { ...NO_SIZE, price: undefined }],
  [
    ...(['what is no word is none', { side: null, tradeSide: 'sell_single' }] as const),
    { side: undefined, position: undefined },
  ],
])('%s', (_what, fields, terms) => {
  expect(asSent(fields)).toMatchObject(terms)
})

test('the amount of a spot market buy is of the other coin, that of a sell is a size', () => {
  const market = { orderType: 'market' }
  expect(asSent(market, 'spot')).toMatchObject({ ...NO_SIZE, spends: '1' })
  expect(asSent({ ...market, side: 'sell' }, 'spot')).toMatchObject({ size: '1' })
})

test('what one of the two does not say is not compared', () => {
  expect(compareTerms({}, { side: 'buy', price: '1' })).toBe('same')
  expect(compareTerms({ side: 'buy', price: '1' }, {})).toBe('same')
})

test('only another side proves another order, and not where it names the position', () => {
  const buy = { side: 'buy', position: 'open', kind: 'limit', price: '1', size: '1' }
  expect(compareTerms(buy, buy)).toBe('same')
  expect(compareTerms(buy, { ...buy, side: 'sell' })).toBe('other')
  for (const other of [{ price: '2' }, { size: '2' }, { kind: 'market' }, { position: 'close' }])
    expect(compareTerms(buy, { ...buy, ...other })).toBe('doubtful')
  const close = { ...buy, position: 'close' }
  expect(compareTerms(close, { ...close, side: 'sell' })).toBe('doubtful')
})
