import { expect, test } from 'vitest'
import { NotOwnerError } from '../store/errors.ts'
import { systemTime } from '../time.ts'
import { EffectValues } from './effect-values.ts'
import { Prices } from './prices.ts'

const LIMITS = { maxDayValue: '1000' } as Parameters<EffectValues['ask']>[2]
const ORDER = {
  kind: 'order',
  market: 'futures',
  symbol: 'BTC_USDT',
  price: '50000',
} as unknown as Parameters<EffectValues['ask']>[1][number]

/** What rules that cannot be read for this reason mean for an order. */
function ask(reason: Error) {
  const fetch = () => Promise.reject(reason)
  const prices = new Prices({ fetch, time: systemTime })
  const rules = { get: fetch, peek: () => undefined }
  return new EffectValues({ prices, rules } as unknown as ConstructorParameters<
    typeof EffectValues
  >[0]).ask('mx', [ORDER], LIMITS)
}

test('rules that the next owner has to read refuse no order; rules that the exchange does not give do', async () => {
  const notOwner = new NotOwnerError()
  await expect(ask(notOwner)).rejects.toBe(notOwner)
  expect((await ask(new Error('down'))).valued).toMatchObject([
    { missing: 'the rules of BTC_USDT could not be read: down' },
  ])
})
