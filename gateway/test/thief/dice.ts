import { createSeededRandom } from '../lane-simulation/seeded-random.ts'

/** Random choices that a seed repeats. */
export type Dice = ReturnType<typeof createDice>

export function createDice(seed: number) {
  const next = createSeededRandom(seed)
  const below = (count: number) => Math.floor(next() * count)
  return {
    /** From 0 up to, but not including, 1. */
    next,
    chance: (share: number) => next() < share,
    between: (low: number, high: number) => low + next() * (high - low),
    /** A whole number from 0 up to, but not including, `count`. */
    below,
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new Error('There is nothing to pick from')
      return items[below(items.length)] as Item
    },
  }
}
