import type { Figure } from './figure.ts'
import { quantile } from './table.ts'

/** What was measured of one name, round by round. */
export class Rounds {
  readonly #values = new Map<string, number[]>()

  add(name: string, value: number): void {
    const known = this.#values.get(name)
    if (known === undefined) this.#values.set(name, [value])
    else known.push(value)
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  /** @throws when nothing was measured under the name */
  of(name: string): readonly number[] {
    const found = this.#values.get(name)
    if (found === undefined) throw new TypeError(`Nothing was measured of ${name}`)
    return found
  }

  median(name: string): number {
    return median(this.of(name))
  }

  /** The median of what two names had to each other in each round. */
  ratio(name: string, to: string): number {
    const others = this.of(to)
    return median(this.of(name).map((value, round) => value / (others[round] ?? Number.NaN)))
  }

  spread(name: string): readonly [number, number] {
    const values = this.of(name)
    return [Math.min(...values), Math.max(...values)]
  }
}

/** The figure of a series, without a bar. */
export function plainFigure(
  rounds: Rounds,
  series: string,
  words: Pick<Figure, 'name' | 'unit' | 'better'>,
): Figure {
  return { ...words, value: rounds.median(series), spread: rounds.spread(series) }
}

/** Of an even number of values, the greater of the two in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}
