import { BigNumber } from 'bignumber.js'
import { expect, test } from 'vitest'
import type { Rest } from './own-order.ts'
import { type CountedOrder, sumsOf } from './position-sums.ts'

function orderOf(order: Partial<CountedOrder>, size: number, filled = size): CountedOrder {
  return {
    ...{ side: 'long', does: 'open', exitKind: null, hasAttachedExit: false },
    ...{ isNetting: false, isEitherSide: false, isFinal: filled === size },
    ...{ asked: new BigNumber(size), filled: new BigNumber(filled), counted: new BigNumber(0) },
    ...order,
  }
}

test.each<[Rest, open: readonly string[], resting: readonly string[]]>([
  ['none', ['9', '4'], ['0', '0']],
  ['taken', ['7', '2'], ['0', '0']],
  ['rests', ['9', '4'], ['2', '2']],
])('one that closes either side takes from both; its rest is %s', (rest, open, resting) => {
  const orders = [orderOf({}, 10), orderOf({ side: 'short' }, 5)]
  const either = orderOf({ does: 'close', isEitherSide: true }, 3, 1)
  const sums = sumsOf([...orders, either], () => rest)
  expect([sums.open.long.toFixed(), sums.open.short.toFixed()]).toEqual(open)
  const { long, short } = sums.resting
  expect([long.now.toFixed(), short.now.toFixed()]).toEqual(resting)
})
