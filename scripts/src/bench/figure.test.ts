import { expect, test } from 'vitest'
import { barText, type Figure, figureRows, isReached, quantile, Rounds, toTable } from './figure.ts'
import { figuresPage } from './save.ts'

const latency: Figure = {
  ...{ name: 'Added latency', unit: 'ms', better: 'lower', value: 3 },
  peers: { 'http-proxy': 2, nginx: 0.5 },
  bar: { limit: 2, reached: 1.5, of: 'http-proxy' },
}
const rate: Figure = {
  ...{ name: 'Tokens', unit: '/s', better: 'higher', value: 1500 },
  bar: { limit: 3000, reached: 1500 },
}

test.each([
  [latency, '≤ 2 × http-proxy', true],
  [rate, '≥ 3000 /s', false],
])('a bar is a limit in the unit, or a multiple of a peer', (figure, words, reached) => {
  expect(barText(figure)).toBe(words)
  expect(isReached(figure)).toBe(reached)
  expect(figureRows([figure])[1]).toContain(words)
})

test('the page has a table for each part, with what it was measured on', () => {
  const machine = { cpu: 'CPU', cores: 2, memoryGb: 8, system: 'Linux', loadBefore: 0.25 }
  const part = { measuredAt: '2026-01-02T03:04:05Z', commit: 'abc', machine, versions: {} }
  const page = figuresPage({ gateway: { ...part, figures: [latency, rate] } })
  expect(page).toContain('2026-01-02, commit abc; CPU, 2 cores')
  expect(page).toContain('load 0.25 before')
  expect(page).toContain(
    '\n| Added latency | 3 ms |  | ≤ 2 × http-proxy | 1.5 ×, yes | http-proxy 2, nginx 0.5 |\n',
  )
})

test('a ratio is taken in each round, because rounds differ more than what they compare', () => {
  const rounds = new Rounds()
  for (const [own, peer] of [
    [2, 1],
    [30, 10],
    [8, 4],
  ] as const) {
    rounds.add('own', own)
    rounds.add('peer', peer)
  }
  expect(rounds.ratio('own', 'peer')).toBe(2)
  expect(rounds.median('own')).toBe(8)
  expect(rounds.spread('own')).toEqual([2, 30])
  expect(() => rounds.of('other')).toThrow('Nothing was measured of other')
})

test('columns are as wide as their widest cell', () => {
  const table = toTable([
    ['', 'wait'],
    ['a long name', '1 ms'],
  ])
  expect(table.split('\n')).toEqual([
    ...['               wait', '  -----------  ----', '  a long name  1 ms'],
  ])
})

test.each([
  [0.5, 6],
  [0.99, 10],
  [1, 10],
])('the %d quantile of 1 to 10 is %d, in any order', (part, value) => {
  expect(quantile([10, 1, 9, 2, 8, 3, 7, 4, 6, 5], part)).toBe(value)
})

test('nothing has no quantile', () => {
  expect(quantile([], 0.5)).toBeNaN()
})
