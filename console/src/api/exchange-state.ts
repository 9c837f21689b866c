import { type ClientNow, type ExchangeNow, type ExchangeStats, percentOf } from 'schema'
import { formatCount, formatNumber, formatRoughly } from '../components/format.ts'
import type { Sign, TagColour } from '../components/signs.tsx'
import * as texts from './exchange-texts.ts'

interface StateLook {
  readonly name: string
  readonly meaning: string
  readonly newRequest: string
  readonly sign: Sign
  readonly colour: TagColour
}

const { running, paused, broken, stopped } = texts.states
export const STATE_LOOKS: Readonly<Record<ExchangeStats['state'], StateLook>> = {
  running: { ...running, sign: 'good', colour: 'green' },
  paused: { ...paused, sign: 'waiting', colour: 'yellow' },
  broken: { ...broken, sign: 'bad', colour: 'red' },
  stopped: { ...stopped, sign: 'off', colour: 'red' },
}

interface Waiting {
  readonly queueSize: number
  /** Of a new client. */
  readonly estimatedWaitMs: number
  readonly busiestWaitMs: number
}

/** `79 waiting; new client under 1 s, busiest about 40 s`; `nothing waits`. */
export function waitingWords({ queueSize, estimatedWaitMs, busiestWaitMs }: Waiting): string {
  if (queueSize === 0) return texts.nothingWaits
  return texts.waiting(formatCount(queueSize), about(estimatedWaitMs), about(busiestWaitMs))
}

/** The same where space is short: `79, under 1 s to 40 s`; `idle`. */
export function waitingBriefly({ queueSize, estimatedWaitMs, busiestWaitMs }: Waiting): string {
  if (queueSize === 0) return texts.idle
  const [ofNew, ofBusiest] = [formatRoughly(estimatedWaitMs), formatRoughly(busiestWaitMs)]
  return texts.waitingShort(formatCount(queueSize), ofNew, ofBusiest)
}

function about(ms: number): string {
  const time = formatRoughly(ms)
  return ms < 1000 ? time : texts.about(time)
}

/** What becomes of a new request to an exchange, where nothing waits. */
export function newRequestWords({ state, accounts }: ExchangeNow): string {
  return state === 'running' && accounts.length > 0
    ? texts.newRequestHeld
    : STATE_LOOKS[state].newRequest
}

/** From this part of a limit on, it is worth a look. */
export const NEAR_PERCENT = 80

interface NearestUse {
  readonly name: string
  /** `1,640.5 of 2,000, 82 %`. */
  readonly use: string
  /** As `percentOf` rounds it. */
  readonly percent: number
}

/** How much of the limit is used of which most is used. */
export function nearestUse(nearest: NonNullable<ClientNow['nearestLimit']>): NearestUse {
  const { limit, used, max } = nearest
  const percent = percentOf(used, max)
  const use = texts.limitUse(formatNumber(used), formatNumber(max), percent)
  return { name: texts.limitNames[limit], use, percent }
}

/** What limits in shadow mode did not do: `would have refused 4 orders (shadow)`. */
export function shadowWords(count: number): string {
  return texts.wouldHaveRefused(formatCount(count), count === 1)
}
