import { barText, type Figure, isReached, rounded } from './figure.ts'
import type { MeasuredPart, SavedFigures } from './save.ts'

const WIDTH = 900
const MARGIN = 20
const GAP = 30
const PANEL_WIDTH = (WIDTH - 2 * MARGIN - GAP) / 2
const LABEL_WIDTH = 82
const VALUE_WIDTH = 76
const BAR_WIDTH = PANEL_WIDTH - LABEL_WIDTH - VALUE_WIDTH
const ROW_HEIGHT = 20
const PANEL_HEAD = 42
const PANEL_FOOT = 22
const PART_HEAD = 56

const STYLE = `
    svg { font: 12px system-ui, sans-serif; background: #ffffff; fill: #1f2328 }
    .head { font-size: 17px; font-weight: 600 }
    .name { font-size: 13px; font-weight: 600 }
    .quiet { fill: #59636e }
    .sluice { fill: #0969da }
    .peer { fill: #afb8c1 }
    .own { font-weight: 600 }
    .axis { stroke: #818b98 }
    .bar { stroke: #bc4c00; stroke-width: 2; stroke-dasharray: 4 3 }
    .back { fill: #ffffff }
    @media (prefers-color-scheme: dark) {
      svg { background: #0d1117; fill: #f0f6fc }
      .quiet { fill: #9198a1 }
      .sluice { fill: #4493f8 }
      .peer { fill: #57606a }
      .axis { stroke: #656c76 }
      .bar { stroke: #f0883e }
      .back { fill: #0d1117 }
    }`

/**
 * The figures as a picture for light and dark pages. Every panel has a scale of its own that starts
 * at zero; the dashed line is the bar.
 */
export function drawFigures(saved: SavedFigures): string {
  const parts: string[] = []
  let top = MARGIN
  for (const [name, part] of Object.entries(saved)) {
    const drawn = drawPart(name, part, top)
    parts.push(drawn.svg)
    top += drawn.height
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img">
  <title>What npm run bench measured</title>
  <style>${STYLE}
  </style>
  <rect class="back" width="100%" height="100%"/>
${parts.join('\n')}
</svg>
`
}

interface Drawn {
  readonly svg: string
  readonly height: number
}

function drawPart(name: string, part: MeasuredPart, top: number): Drawn {
  const { measuredAt, commit, machine, versions, figures } = part
  const { cpu, cores, memoryGb, system, loadBefore } = machine
  const when = `${measuredAt.slice(0, 10)}, commit ${commit}`
  const where = `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${versions.node}, load ${loadBefore} before`
  const lines = [
    text(MARGIN, top + 16, name, 'head'),
    text(MARGIN, top + 36, `${when}; ${where}`, 'quiet'),
  ]
  let y = top + PART_HEAD
  for (let index = 0; index < figures.length; index += 2) {
    const row = figures.slice(index, index + 2)
    row.forEach((figure, column) => {
      lines.push(drawPanel(figure, MARGIN + column * (PANEL_WIDTH + GAP), y))
    })
    y += Math.max(...row.map(panelHeight))
  }
  return { svg: lines.join('\n'), height: y - top + MARGIN }
}

function barsOf({ value, peers }: Figure): [string, number][] {
  return [['Sluice', value], ...Object.entries(peers ?? {})]
}

function panelHeight(figure: Figure): number {
  return PANEL_HEAD + barsOf(figure).length * ROW_HEIGHT + PANEL_FOOT
}

/** The bar on the figure's own scale; undefined when there is none. */
function limitOf({ bar, peers }: Figure): number | undefined {
  if (bar?.of === undefined) return bar?.limit
  return bar.limit * (peers?.[bar.of] ?? Number.NaN)
}

function drawPanel(figure: Figure, left: number, top: number): string {
  const bars = barsOf(figure)
  const limit = limitOf(figure)
  const greatest = Math.max(...bars.map(([, value]) => value), limit ?? 0)
  const zero = left + LABEL_WIDTH
  const widthOf = (value: number) => (Math.max(0, value) / (greatest || 1)) * BAR_WIDTH
  const firstRow = top + PANEL_HEAD
  const end = firstRow + bars.length * ROW_HEIGHT
  const rows = bars.flatMap(([name, value], index) => {
    const y = firstRow + index * ROW_HEIGHT
    const isOwn = index === 0
    const style = isOwn ? 'own' : 'quiet'
    const width = widthOf(value)
    return [
      text(zero - 6, y + 14, name, style, 'end'),
      `  <rect class="${isOwn ? 'sluice' : 'peer'}" x="${zero}" y="${y + 3}" width="${width.toFixed(1)}" height="${ROW_HEIGHT - 6}"/>`,
      text(zero + BAR_WIDTH + 6, y + 14, `${rounded(value)} ${figure.unit}`, style),
    ]
  })
  const limitX = (zero + widthOf(limit ?? 0)).toFixed(1)
  return [
    text(left, top + 14, figure.name, 'name'),
    text(left, top + 31, barLine(figure), 'quiet'),
    ...rows,
    line('axis', zero, firstRow, end),
    ...(limit === undefined ? [] : [line('bar', Number(limitX), firstRow - 2, end + 2)]),
  ].join('\n')
}

/** `lower is better; bar ≤ 1.2 × http-proxy: reached with 0.9 ×`. */
function barLine(figure: Figure): string {
  const better = `${figure.better} is better`
  if (figure.bar === undefined) return better
  const { of, reached } = figure.bar
  const result = isReached(figure) ? 'reached' : 'not reached'
  const unit = of === undefined ? figure.unit : '×'
  return `${better}; bar ${barText(figure)}: ${result} with ${rounded(reached)} ${unit}`
}

function line(style: string, x: number, fromY: number, toY: number): string {
  return `  <line class="${style}" x1="${x}" y1="${fromY}" x2="${x}" y2="${toY}"/>`
}

function text(x: number, y: number, words: string, style: string, anchor = 'start'): string {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `  <text class="${style}" x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">${escaped}</text>`
}
