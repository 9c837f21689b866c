import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IS_LONG } from './support/is-long.ts'
import { COINS, type Draft, type Form, forms, orderBy } from './thief/calls.ts'
import { thiefWorld } from './thief/world.ts'

// What the limits reserve for an order is compared with what the paper exchange booked.

/** It may cost this much more than the last price, and a tick. */
const MARKET_MARGIN = 1.05 * 1.001
const MICRO = 1e-5

const drafts = fc
  .record({
    base: fc.constantFrom('BTC' as const, 'ETH' as const, 'SOL' as const),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    isMarket: fc.boolean(),
    steps: fc.integer({ min: 1, max: 20 }),
    share: fc.double({ min: 0.85, max: 1.15, noNaN: true }),
  })
  .map((given) => (priceOf: (base: Draft['base']) => number): Draft => {
    const { base, side, isMarket, steps, share } = given
    const { step, decimals, priceDecimals } = COINS[base]
    const size = steps * step
    return {
      ...{ base, side, size: size.toFixed(decimals) },
      price: isMarket ? undefined : (priceOf(base) * share).toFixed(priceDecimals),
      quote: (size * priceOf(base)).toFixed(2),
    }
  })

test.each([
  ['classic', false],
  ['unified', true],
])(
  'an order of a %s account reserves what it may trade, and a limit buy exactly that',
  async (name, unified) => {
    const world = await thiefWorld()
    const { thief, ledger } = await world.clients(name, unified)
    // What closes own positions would take nothing as soon as the fills are known.
    await world.setLimits(thief, { maxDayValue: '900000000', exits: 'limited' })
    let compared = 0
    const check = async (form: Form, draft: Draft) => {
      const before = { usage: await world.usage(thief), ...ledger.read() }
      const response = await world.send(thief, orderBy(form, draft))
      const after = { usage: await world.usage(thief), ...ledger.read() }
      const reserved = Number(after.usage.dayValue) - Number(before.usage.dayValue)
      const booked = after.booked - before.booked
      const what = `${form} ${JSON.stringify(draft)}: ${response.body}`
      expect(reserved, what).toBeGreaterThanOrEqual(booked - MICRO)
      if (booked === 0) {
        if (form !== 'mexcTest') expect(reserved, what).toBeCloseTo(0, 6)
        return
      }
      compared += 1
      const last = world.prices[draft.base]
      const own = Number(draft.price ?? 0) * Number(draft.size)
      if (draft.side === 'buy' && draft.price !== undefined)
        expect(reserved, what).toBeCloseTo(own, 5)
      else
        expect(reserved, what).toBeLessThanOrEqual(
          Math.max(own, last * Number(draft.size) * MARKET_MARGIN, Number(draft.quote)) + MICRO,
        )
    }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...forms), drafts, (form, draft) =>
        check(
          form,
          draft((base) => world.prices[base]),
        ),
      ),
      { numRuns: IS_LONG ? 150 : 60 },
    )
    expect(compared).toBeGreaterThan(20)
  },
)
