import type { Bar, Figure } from '../figure.ts'
import type { Rounds } from '../rounds.ts'
import { KINDS, type Kind } from './requests.ts'
import { DIRECT, HTTP_PROXY, SLUICE } from './targets.ts'

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
      ...plain(rounds, 'token', 'Tokens issued'),
      bar: { limit: TOKENS_PER_SECOND, reached: rounds.median('token') },
    },
    rejections(rounds, '401', '401: not a token'),
    rejections(rounds, '429', '429: too many wrong secrets'),
    plain(rounds, '401 forged', '401: a token with a forged signature'),
  ]
}

function kindFigures(rounds: Rounds, kind: Kind, targets: readonly string[]): Figure[] {
  const title = kind === 'read' ? 'Read' : 'Order'
  const bars = BARS[kind]
  const figure = (what: string, except: string[], bar: Bar) => ({
    value: rounds.median(`${kind} ${what} ${SLUICE}`),
    spread: rounds.spread(`${kind} ${what} ${SLUICE}`),
    peers: Object.fromEntries(
      targets
        .filter((name) => name !== SLUICE && !except.includes(name))
        .map((name) => [name, rounds.median(`${kind} ${what} ${name}`)]),
    ),
    bar,
  })
  const times = (what: string, limit: number): Bar => ({
    limit,
    reached: rounds.ratio(`${kind} ${what} ${SLUICE}`, `${kind} ${what} ${HTTP_PROXY}`),
    of: HTTP_PROXY,
  })
  const p99 = { limit: bars.p99Ms, reached: rounds.median(`${kind} p99 ${SLUICE}`) }
  return [
    {
      ...{ name: `${title}: added latency, p50`, unit: 'ms', better: 'lower' },
      ...figure('p50', [DIRECT], times('p50', bars.p50)),
    },
    {
      ...{ name: `${title}: added latency, p99`, unit: 'ms', better: 'lower' },
      ...figure('p99', [DIRECT], p99),
    },
    {
      ...{ name: `${title}s at full speed`, unit: '/s', better: 'higher' },
      ...figure('full', [], times('full', bars.full)),
    },
  ]
}

function plain(rounds: Rounds, series: string, name: string): Figure {
  return {
    ...{ name, unit: '/s', better: 'higher' },
    value: rounds.median(series),
    spread: rounds.spread(series),
  }
}

function rejections(rounds: Rounds, status: string, name: string): Figure {
  const successes = `read full ${HTTP_PROXY}`
  return {
    ...{ name, unit: '/s', better: 'higher' },
    value: rounds.median(status),
    spread: rounds.spread(status),
    peers: { [HTTP_PROXY]: rounds.median(successes) },
    bar: { limit: REJECTIONS, reached: rounds.ratio(status, successes), of: HTTP_PROXY },
  }
}
