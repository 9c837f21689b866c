import type { ExchangeStats } from 'schema'
import { formatCount, formatRoughly } from '../components/format.ts'
import type { Sign } from '../components/state-sign.tsx'
import type { TagColour } from '../components/tag.tsx'

interface StateLook {
  readonly sign: Sign
  readonly colour: TagColour
  readonly name: string
  /** What it means, for a person who has not seen it before. */
  readonly meaning: string
}

export const STATE_LOOKS: Readonly<Record<ExchangeStats['state'], StateLook>> = {
  running: {
    sign: 'good',
    colour: 'green',
    name: 'Running',
    meaning: 'Requests are sent',
  },
  paused: {
    sign: 'waiting',
    colour: 'yellow',
    name: 'Paused',
    meaning: 'The exchange asked for a break; requests wait and are sent afterwards',
  },
  broken: {
    sign: 'bad',
    colour: 'red',
    name: 'Broken',
    meaning: 'Call after call failed; new requests are refused until one succeeds',
  },
  stopped: {
    sign: 'off',
    colour: 'red',
    name: 'Stopped',
    meaning: 'An administrator stopped it; requests are refused until it is resumed',
  },
}

interface Waiting {
  readonly queueSize: number
  readonly estimatedWaitMs: number
}

/** Whom the estimated wait is for. */
export const WAIT_MEANING =
  'The time is what a new order would wait, of a client that has none waiting'

/** `79 waiting, about 40 s`; `79 waiting, under 1 s`; `nothing waits`. */
export function waitingWords({ queueSize, estimatedWaitMs }: Waiting): string {
  if (queueSize === 0) return 'nothing waits'
  const about = estimatedWaitMs < 1000 ? '' : 'about '
  return `${formatCount(queueSize)} waiting, ${about}${formatRoughly(estimatedWaitMs)}`
}

/** The same where space is short: `79, 40 s`; `idle`. */
export function waitingBriefly({ queueSize, estimatedWaitMs }: Waiting): string {
  if (queueSize === 0) return 'idle'
  return `${formatCount(queueSize)}, ${formatRoughly(estimatedWaitMs)}`
}
