/**
 * What happened to an order, as the journal keeps it, short: there are several for each order.
 * `ms`:
 * after the order's entry into the journal.
 */
export type LifeEvent = { readonly ms: number } & (
  | {
      /** The rules of the symbol and the client's limits allow it. */
      readonly type: 'checked'
      /** The limit that would have refused it, in the mode `shadow`. */
      readonly note?: string
    }
  | {
      readonly type: 'queued'
      /** How many are expected to be sent before it. */
      readonly ahead: number
      /** How many wait already, by class in the order of `JOB_CLASSES`; absent: none. */
      readonly waiting?: readonly number[]
      /** How many of them are of the same client. */
      readonly own?: number
    }
  | { readonly type: 'slot'; readonly waitedMs: number }
  /** `time`: the exchange's, Unix ms, which was signed. */
  | { readonly type: 'signed'; readonly time: number }
  | { readonly type: 'sent' }
  | { readonly type: 'answered'; readonly status: number; readonly tookMs: number }
  /** The exchange's rate limit turned it away. */
  | { readonly type: 'turned-away' }
  | { readonly type: 'unknown'; readonly why: string }
  /** The process that sent it ended; the next one looks it up. */
  | { readonly type: 'recovered' }
  | {
      readonly type: 'lookup'
      /** The call, without its query; absent when none was made. */
      readonly where?: string
      readonly found?: 'found' | 'absent' | 'unclear'
      /** Of the order that was found. */
      readonly state?: string
      readonly why?: string
    }
  /** A stop sends this cancel, or a client that cancels all its own orders. */
  | { readonly type: 'stop'; readonly reason: string }
  /** The order that it placed was found ended. */
  | { readonly type: 'ended' }
)

type WithoutMs<Event> = Event extends unknown ? Omit<Event, 'ms'> : never
export type NewLifeEvent = WithoutMs<LifeEvent>

/** The events of a row's `events`. */
export function readLifeEvents(text: string): LifeEvent[] {
  return JSON.parse(`[${text.slice(0, -1)}]`)
}

/** As it is appended to a row's `events`. */
export function writeLifeEvents(events: readonly LifeEvent[]): string {
  let text = ''
  for (const event of events) text += `${JSON.stringify(event)},`
  return text
}
