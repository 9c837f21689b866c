import { toTable } from './table.ts'

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

/** The figures as a table for the terminal. */
export function figureTable(figures: readonly Figure[]): string {
  return toTable([
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
  ])
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
export function rounded(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}
