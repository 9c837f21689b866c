import type { ExchangeStats } from 'schema'
import { formatCount, formatRoughly } from '../components/format.ts'
import type { Sign } from '../components/state-sign.tsx'
import type { TagColour } from '../components/tag.tsx'
import * as texts from './exchange-texts.ts'

interface StateLook {
  readonly sign: Sign
  readonly colour: TagColour
  readonly name: string
  readonly meaning: string
}

export const STATE_LOOKS: Readonly<Record<ExchangeStats['state'], StateLook>> = {
  running: {
    sign: 'good',
    colour: 'green',
    name: texts.states.running,
    meaning: texts.meanings.running,
  },
  paused: {
    sign: 'waiting',
    colour: 'yellow',
    name: texts.states.paused,
    meaning: texts.meanings.paused,
  },
  broken: {
    sign: 'bad',
    colour: 'red',
    name: texts.states.broken,
    meaning: texts.meanings.broken,
  },
  stopped: {
    sign: 'off',
    colour: 'red',
    name: texts.states.stopped,
    meaning: texts.meanings.stopped,
  },
}

interface Waiting {
  readonly queueSize: number
  readonly estimatedWaitMs: number
}

/** `79 waiting, about 40 s`; `79 waiting, under 1 s`; `nothing waits`. */
export function waitingWords({ queueSize, estimatedWaitMs }: Waiting): string {
  if (queueSize === 0) return texts.nothingWaits
  const time = formatRoughly(estimatedWaitMs)
  const about = estimatedWaitMs < 1000 ? time : texts.about(time)
  return texts.waiting(formatCount(queueSize), about)
}

/** The same where space is short: `79, 40 s`; `idle`. */
export function waitingBriefly({ queueSize, estimatedWaitMs }: Waiting): string {
  if (queueSize === 0) return texts.idle
  return `${formatCount(queueSize)}, ${formatRoughly(estimatedWaitMs)}`
}
