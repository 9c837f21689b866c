import { ALERT_TYPES, type AlertType } from 'schema'

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

interface AlertBoardOptions {
  readonly nowMs: () => number
  /** Called for each change of state, and only then. It must not throw. */
  readonly onChange: (alert: Alert) => void
}

interface Raised {
  readonly subject: string
  /** When it was raised last. */
  readonly raisedAtMs: number
  /** What is wrong and what to do. */
  readonly message: string
  /** Of how many things it is true; 1 for most alerts. */
  readonly count: number
}

interface OpenAlert extends Raised {
  readonly type: AlertType
}

interface RaisedState extends Raised {
  readonly level: number
}

/** What another process needs to continue a raised alert. */
export interface StoredAlert extends RaisedState {
  readonly type: AlertType
}

/**
 * The alerts that are raised now. Each type and subject is one state, which is raised once, again
 * when it becomes more urgent, and cleared once.
 */
export function createAlertBoard({ nowMs, onChange }: AlertBoardOptions) {
  const raised = new Map(ALERT_TYPES.map((type) => [type, new Map<string, RaisedState>()]))
  const of = (type: AlertType) => raised.get(type) ?? new Map<string, RaisedState>()

  function report(
    state: Alert['state'],
    type: AlertType,
    subject: string,
    message: string,
    detail: AlertDetail = {},
  ): void {
    onChange({ type, at: new Date(nowMs()).toISOString(), subject, state, message, detail })
  }

  return {
    nowMs,

    /**
     * Reports the alert, unless it is already raised at this level or above: then only what it says
     * changes. `detail.count` is of how many things it is true.
     */
    raise(
      type: AlertType,
      subject: string,
      message: string,
      detail?: AlertDetail,
      level = 0,
    ): void {
      const count = typeof detail?.count === 'number' ? detail.count : 1
      const before = of(type).get(subject)
      if (before !== undefined && before.level >= level) {
        of(type).set(subject, { ...before, message, count })
        return
      }
      of(type).set(subject, { subject, raisedAtMs: nowMs(), message, count, level })
      report('raised', type, subject, message, detail)
    },

    /** Does nothing when the alert is not raised. */
    clear(type: AlertType, subject: string, message: string, detail?: AlertDetail): void {
      if (of(type).delete(subject)) report('cleared', type, subject, message, detail)
    },

    /** As `clear`, of what another process has reported, and this one has not. */
    clearUnseen(type: AlertType, subject: string, message: string): void {
      if (!of(type).has(subject)) report('cleared', type, subject, message)
    },

    /** Counts as raised what was reported before, by another process or another node. */
    restore(alerts: readonly StoredAlert[]): void {
      for (const { type, ...state } of alerts) of(type).set(state.subject, state)
    },

    /** The alert is no longer this node's: nothing is reported. */
    forget: (type: AlertType, subject: string): void => void of(type).delete(subject),

    /** The raised alerts of these types, for `restore`. */
    stored: (types: readonly AlertType[]): StoredAlert[] =>
      types.flatMap((type) => [...of(type).values()].map((state) => ({ type, ...state }))),

    /** The raised alerts of a type. */
    raised: (type: AlertType): readonly Raised[] => [...of(type).values()],

    /** All raised alerts, those that were raised last first. */
    open: (): OpenAlert[] =>
      ALERT_TYPES.flatMap((type) =>
        [...of(type).values()].map((alert) => ({ type, ...alert })),
      ).sort((a, b) => b.raisedAtMs - a.raisedAtMs),

    isRaised: (type: AlertType, subject: string): boolean => of(type).has(subject),
  }
}
export type AlertBoard = ReturnType<typeof createAlertBoard>
