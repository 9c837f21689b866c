import { expect, test } from 'vitest'
import type { Figure } from './figure.ts'
import { barText, figureTable, isReached } from './figure.ts'
import { drawFigures } from './picture.ts'
import { Rounds } from './rounds.ts'

const latency: Figure = {
  ...{ name: 'Added <latency>', unit: 'ms', better: 'lower', value: 3 },
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
  expect(figureTable([figure])).toContain(words)
})

test('the picture has one scale from zero in each panel, on which the bar is a line', () => {
  const machine = { cpu: 'CPU', cores: 2, memoryGb: 8, system: 'Linux', loadBefore: 0.25 }
  const part = { measuredAt: '2026-01-02T03:04:05Z', commit: 'abc', machine, versions: {} }
  const svg = drawFigures({ gateway: { ...part, figures: [latency, rate] } })
  expect(svg).toContain('Added &lt;latency>')
  expect(svg).toContain('2026-01-02, commit abc; CPU, 2 cores')
  expect(svg).toContain('load 0.25 before')

  const widths = [...svg.matchAll(/class="(?:sluice|peer)" [^>]*width="([\d.]+)"/g)].map(
    ([, width]) => Number(width),
  )
  const [own = 0, proxy = 0, nginx = 0, tokens = 0] = widths
  // The bar, at 4 ms and at 3,000, is the greatest value of its panel.
  expect(proxy / own).toBeCloseTo(2 / 3, 2)
  expect(nginx / own).toBeCloseTo(1 / 6, 2)
  const [axis = 0, ofLatency = 0, , ofRate = 0] = [
    ...svg.matchAll(/class="(?:axis|bar)" x1="([\d.]+)"/g),
  ].map(([, x]) => Number(x))
  expect((ofLatency - axis) / own).toBeCloseTo(4 / 3, 2)
  expect(tokens * 2).toBeCloseTo(ofLatency - axis, 0)
  expect(ofRate).toBeGreaterThan(ofLatency)
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
