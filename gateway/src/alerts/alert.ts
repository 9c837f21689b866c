/** The types of alerts. The dotted names are stable: receivers depend on them. */
export const ALERT_TYPES = [
  'exchange.broken',
  'exchange.account-broken',
  'exchange.throttled',
  'exchange.stopped',
  'exchange.stuck',
  'pace.violation',
  'order.unknown',
  'cancel.unknown',
  'key.refused',
  'key.test-failed',
  'key.expiring',
  'client.refused',
  'client.silent',
  'sign-in.attack',
  'approval.waiting',
  'master-key.refused',
  'owner.changed',
  'node.missing',
  'store.damaged',
  'store.unwritable',
  'disk.full',
  'disk.low',
  'backup.old',
  'backup.missing',
  'clock.drift',
] as const
export type AlertType = (typeof ALERT_TYPES)[number]

export const isAlertType = (text: string): text is AlertType =>
  (ALERT_TYPES as readonly string[]).includes(text)

/** A change of state, in the format that the webhook's receiver gets. It contains no secret. */
export interface Alert {
  readonly type: AlertType | 'test' | 'audit.head' | 'backup.failed'
  /** ISO 8601, UTC. */
  readonly at: string
  /**
   * What the state belongs to: an exchange, a request, a client's keys. Type and subject together
   * identify one state.
   */
  readonly subject: string
  readonly state: 'raised' | 'cleared'
  /** A sentence for a person: what is wrong and what to do. */
  readonly message: string
  readonly detail: AlertDetail
}

export type AlertDetail = Readonly<Record<string, string | number | null>>
