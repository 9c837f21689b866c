/** One measured number of Sluice, with the bar that it is held to and its peers beside it. */
export interface Figure {
  readonly name: string
  readonly unit: string
  readonly better: 'lower' | 'higher'
  /** The median of the rounds. */
  readonly value: number
  /** The least and the greatest of the rounds; absent when there was one. */
  readonly spread?: readonly [number, number]
  /** The same number of other programs, measured in the same rounds. */
  readonly peers?: Readonly<Record<string, number>>
  readonly bar?: Bar
}

export interface Bar {
  readonly limit: number
  /** What is compared with the limit. It is the value itself unless `of` is there. */
  readonly reached: number
  /** The peer whose value the limit is a multiple of. */
  readonly of?: string
}

/** What a benchmark gets from the command. */
export interface BenchRun {
  /** Takes one line or a table. */
  readonly print: (text: string) => void
  /** Whether to show only that it works, in seconds: its numbers mean nothing. */
  readonly isShort: boolean
}

/** Measures one thing and prints what it found. */
export type Bench = (run: BenchRun) => Promise<readonly Figure[]>

/** Whether a figure keeps its bar; undefined when it has none. */
export function isReached({ better, bar }: Figure): boolean | undefined {
  if (bar === undefined) return undefined
  return better === 'lower' ? bar.reached <= bar.limit : bar.reached >= bar.limit
}

/** The figures as a table, its head first. */
export function figureRows(figures: readonly Figure[]): string[][] {
  return [
    ['', 'Sluice', 'least–greatest', 'bar', 'reached', 'peers'],
    ...figures.map((figure) => [
      figure.name,
      `${rounded(figure.value)} ${figure.unit}`,
      figure.spread === undefined ? '' : figure.spread.map(rounded).join('–'),
      barText(figure),
      reachedText(figure),
      Object.entries(figure.peers ?? {})
        .map(([name, value]) => `${name} ${rounded(value)}`)
        .join(', '),
    ]),
  ]
}

/** What a figure has to reach, in words; empty when it has no bar. */
export function barText({ better, bar, unit }: Figure): string {
  if (bar === undefined) return ''
  const sign = better === 'lower' ? '≤' : '≥'
  return bar.of === undefined ? `${sign} ${bar.limit} ${unit}` : `${sign} ${bar.limit} × ${bar.of}`
}

function reachedText(figure: Figure): string {
  const { bar } = figure
  if (bar === undefined) return ''
  const times = bar.of === undefined ? '' : `${rounded(bar.reached)} ×, `
  return `${times}${isReached(figure) ? 'yes' : 'no'}`
}

/** Three digits that count, without an exponent. */
function rounded(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

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

  /** The median, over the rounds, of the ratio of two names. */
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

/** Rows of equal length as text in columns; the first row is the head, numbers and all. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  const [first = '', ...others] = rows.map(line)
  return [first, rule, ...others].map((text) => `  ${text}`).join('\n')
}

/** The value below which `part` (0 to 1) of the values lie; NaN of none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}
