/** What is watched. The dotted names are stable: receivers decide by them. */
export const ALERT_TYPES = [
  'exchange.broken',
  'exchange.throttled',
  'exchange.stopped',
  'exchange.stuck',
  'order.unknown',
  'key.refused',
  'key.test-failed',
  'key.expiring',
  'sign-in.attack',
  'master-key.refused',
  'store.damaged',
  'disk.low',
  'clock.drift',
] as const
export type AlertType = (typeof ALERT_TYPES)[number]

/** A change of state, as the webhook's receiver gets it. Nothing in it is secret. */
export interface Alert {
  readonly type: AlertType | 'test'
  /** ISO 8601, UTC. */
  readonly at: string
  /** Whose state changed: an exchange, a request, a client's keys. With `type` it names one state. */
  readonly subject: string
  readonly state: 'raised' | 'cleared'
  /** A sentence for a person: what is the matter and what to do. */
  readonly message: string
  readonly detail: AlertDetail
}

export type AlertDetail = Readonly<Record<string, string | number | null>>
