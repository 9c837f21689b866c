import type { Bar, Figure } from '../figure.ts'
import { plainFigure, type Rounds } from '../rounds.ts'
import { KINDS, type Kind } from './requests.ts'
import { HTTP_PROXY, SLUICE } from './targets.ts'

/** The bars of each kind: multiples of what http-proxy has, and ms. */
const BARS: Readonly<Record<Kind, { p50: number; p99Ms: number; full: number }>> = {
  read: { p50: 1.2, p99Ms: 2, full: 0.4 },
  order: { p50: 2, p99Ms: 4, full: 0.25 },
}
const TOKENS_PER_SECOND = 3000
const REJECTIONS = 2

/** The figures of everything that was measured, in the order of the picture. */
export function gatewayFigures(rounds: Rounds, targets: readonly string[]): Figure[] {
  return [
    ...KINDS.flatMap((kind) => kindFigures(rounds, kind, targets)),
    {
      ...perSecond(rounds, 'token', 'Tokens issued'),
      bar: { limit: TOKENS_PER_SECOND, reached: rounds.median('token') },
    },
    perSecond(rounds, '401 forged', '401: a token with a forged signature'),
    rejections(rounds, '401', '401: not a token'),
    rejections(rounds, '429', '429: too many wrong secrets'),
  ]
}

function kindFigures(rounds: Rounds, kind: Kind, targets: readonly string[]): Figure[] {
  const title = kind === 'read' ? 'Read' : 'Order'
  const bars = BARS[kind]
  const figure = (what: string, words: Pick<Figure, 'name' | 'unit' | 'better'>) => ({
    ...plainFigure(rounds, `${kind} ${what} ${SLUICE}`, words),
    peers: Object.fromEntries(
      targets
        .filter((name) => name !== SLUICE && rounds.has(`${kind} ${what} ${name}`))
        .map((name) => [name, rounds.median(`${kind} ${what} ${name}`)]),
    ),
  })
  const times = (what: string, limit: number): Bar => ({
    limit,
    reached: rounds.ratio(`${kind} ${what} ${SLUICE}`, `${kind} ${what} ${HTTP_PROXY}`),
    of: HTTP_PROXY,
  })
  const p99 = { limit: bars.p99Ms, reached: rounds.median(`${kind} p99 ${SLUICE}`) }
  const figures = [
    {
      ...figure('p50', { name: `${title}: added latency, p50`, unit: 'ms', better: 'lower' }),
      bar: times('p50', bars.p50),
    },
    {
      ...figure('p99', { name: `${title}: added latency, p99`, unit: 'ms', better: 'lower' }),
      bar: p99,
    },
    {
      ...figure('full', { name: `${title}s at full speed`, unit: '/s', better: 'higher' }),
      bar: times('full', bars.full),
    },
  ]
  if (!rounds.has(`${kind} cpu ${SLUICE}`)) return figures
  const words = {
    name: `${title}s at full speed: CPU time of one`,
    unit: 'µs',
    better: 'lower',
  } as const
  // A core carries as many as its time allows: the bar of full speed, turned over.
  return [...figures, { ...figure('cpu', words), bar: times('cpu', 1 / bars.full) }]
}

function perSecond(rounds: Rounds, series: string, name: string): Figure {
  return plainFigure(rounds, series, { name, unit: '/s', better: 'higher' })
}

/** Responses that cost the exchange nothing, beside reads that http-proxy passes on. */
function rejections(rounds: Rounds, status: string, name: string): Figure {
  const successes = `read full ${HTTP_PROXY}`
  return {
    ...perSecond(rounds, status, name),
    peers: { [HTTP_PROXY]: rounds.median(successes) },
    bar: { limit: REJECTIONS, reached: rounds.ratio(status, successes), of: HTTP_PROXY },
  }
}
