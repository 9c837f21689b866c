import { expect, test } from 'vitest'
import type { SymbolPrice } from '../exchanges/symbol-price.ts'
import { NotOwnerError } from '../store/errors.ts'
import { systemTime } from '../time.ts'
import { EffectValues } from './order-value.ts'
import { Prices } from './prices.ts'

const LIMITS = { maxDayValue: '1000' } as Parameters<EffectValues['ask']>[2]
const ORDER = {
  ...{ kind: 'order', market: 'futures', symbol: 'BTC_USDT', price: '50000' },
} as unknown as Parameters<EffectValues['ask']>[1][number]

type Sources = ConstructorParameters<typeof EffectValues>[0]

/** Values `ORDER` with rules and prices that `fetch` gives. */
function ask(fetch: () => Promise<never> | Promise<SymbolPrice>, limits = LIMITS) {
  const prices = new Prices({ fetch, time: systemTime })
  const rules = { get: fetch, peek: () => undefined }
  const values = new EffectValues({ prices, rules } as unknown as Sources)
  return values.ask('mx', [ORDER], limits, new Set())
}

test('rules that the next owner has to read refuse no order; rules that the exchange does not give do', async () => {
  const notOwner = new NotOwnerError()
  await expect(ask(() => Promise.reject(notOwner))).rejects.toBe(notOwner)
  expect((await ask(() => Promise.reject(new Error('down')))).valued).toMatchObject([
    { missing: 'the rules of BTC_USDT could not be read: down' },
  ])
})

test('a collar needs the current price, even when no limit needs the value of the order', async () => {
  const price = { reference: '50000', high: '50001' }
  const collar = { maxOrderValue: null, maxDayValue: null, priceCollarPercent: '5' }
  const { valued } = await ask(async () => price, { ...LIMITS, ...collar })
  expect(valued).toEqual([{ effect: ORDER, valueMicros: undefined, reference: '50000' }])
})
