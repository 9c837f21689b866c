import { ALERT_TYPES, type Alert, type AlertDetail, type AlertType } from './alert.ts'

export interface AlertBoardOptions {
  readonly nowMs: () => number
  /** Told of each change, and of nothing that stays as it is. It must not throw. */
  readonly onChange: (alert: Alert) => void
}

export interface Raised {
  readonly subject: string
  readonly raisedAtMs: number
}

/** What is the matter now. Each type and subject is one state, which is raised once and cleared once. */
export function createAlertBoard({ nowMs, onChange }: AlertBoardOptions) {
  const raised = new Map(ALERT_TYPES.map((type) => [type, new Map<string, Raised>()]))
  const of = (type: AlertType) => raised.get(type) ?? new Map<string, Raised>()

  function tell(
    state: Alert['state'],
    type: AlertType,
    subject: string,
    message: string,
    detail: AlertDetail = {},
  ): void {
    onChange({ type, at: new Date(nowMs()).toISOString(), subject, state, message, detail })
  }

  return {
    /** Nothing when it is raised already. */
    raise(type: AlertType, subject: string, message: string, detail?: AlertDetail): void {
      if (of(type).has(subject)) return
      of(type).set(subject, { subject, raisedAtMs: nowMs() })
      tell('raised', type, subject, message, detail)
    },

    /** Nothing when it is not raised. */
    clear(type: AlertType, subject: string, message: string, detail?: AlertDetail): void {
      if (of(type).delete(subject)) tell('cleared', type, subject, message, detail)
    },

    /** What of a type is raised now. */
    raised: (type: AlertType): readonly Raised[] => [...of(type).values()],

    isRaised: (type: AlertType, subject: string): boolean => of(type).has(subject),
  }
}
export type AlertBoard = ReturnType<typeof createAlertBoard>
