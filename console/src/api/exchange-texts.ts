import type { ExchangeStats, UsedLimit } from 'schema'

type State = ExchangeStats['state']

export const states = {
  running: 'Running',
  paused: 'Paused',
  broken: 'Broken',
  stopped: 'Stopped',
} as const satisfies Record<State, string>

/** What a state means, for a person who has not seen it before. */
export const meanings = {
  running: 'Requests are sent',
  paused: 'The exchange asked for a break; requests wait and are sent afterwards',
  broken: 'Call after call failed; new requests are refused until one succeeds',
  stopped: 'An administrator stopped it; requests are refused until it is resumed',
} as const satisfies Record<State, string>

/** Whom the estimated wait is for. */
export const waitMeaning =
  'The time is what a new order would wait, of a client that has none waiting'
export const nothingWaits = 'nothing waits'
export const idle = 'idle'
export const waiting = (count: string, time: string) => `${count} waiting, ${time}`
export const about = (time: string) => `about ${time}`

export const limitNames = {
  maxDayValue: 'Day value',
  maxOpenOrders: 'Open orders',
  maxOrdersPerMinute: 'Orders per minute',
} as const satisfies Record<UsedLimit, string>
export const limitUse = (used: string, max: string, percent: number) =>
  `${used} of ${max}, ${percent} %`
