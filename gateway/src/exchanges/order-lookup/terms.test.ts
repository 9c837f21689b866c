import { expect, test } from 'vitest'
import { compareTerms, type OrderTerms, sentTerms, termsOf } from './terms.ts'

const names = {
  side: 'side',
  kind: 'orderType',
  price: 'price',
  size: 'size',
  position: 'tradeSide',
} as const
const limit = { side: 'BUY', orderType: 'Limit', price: '1500.00', size: 1 }
const asSent = (fields: object, market: 'spot' | 'futures' = 'futures') =>
  sentTerms(names, { ...limit, ...fields }, market)

test('words compare in any case and decimals by value', () => {
  expect(asSent({ tradeSide: 'Open' })).toEqual({
    side: 'buy',
    position: 'open',
    kind: 'limit',
    price: '1500',
    size: '1',
  })
  expect(termsOf(names, { side: 'buy', price: '1.5e3', size: '1.000' })).toMatchObject({
    price: '1500',
    size: '1',
  })
})

test.each<[string, object, 'spot' | 'futures', Partial<OrderTerms>]>([
  ['a market order has no price', { orderType: 'market' }, 'futures', { price: undefined }],
  [
    'the amount of a spot market buy is of the other coin',
    { orderType: 'market' },
    'spot',
    { size: undefined, spends: '1' },
  ],
  [
    'the amount of a spot market sell is a size',
    { orderType: 'market', side: 'sell' },
    'spot',
    { size: '1' },
  ],
  [
    'what closes may be cut',
    { tradeSide: 'close' },
    'futures',
    { size: undefined, price: '1500', asked: '1' },
  ],
  ['what reduces may be cut', { reduceOnly: 'YES' }, 'futures', { size: undefined }],
  ['what reduces may be cut', { reduceOnly: true }, 'futures', { size: undefined }],
  ['what does not reduce is not', { reduceOnly: 'no' }, 'futures', { size: '1' }],
  [
    'a price that the exchange chooses is not known',
    { bboTypeNum: 1 },
    'futures',
    { price: undefined },
  ],
  [
    'a type that comes back in more than one way is none',
    { orderType: 6 },
    'futures',
    { kind: undefined, price: undefined },
  ],
  ['zero is none', { price: '0', size: 0 }, 'futures', { price: undefined, size: undefined }],
  [
    'what is no word is none',
    { side: null, tradeSide: 'sell_single' },
    'futures',
    { side: undefined, position: undefined },
  ],
])('%s', (_what, fields, market, terms) => {
  expect(asSent(fields, market)).toMatchObject(terms)
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
