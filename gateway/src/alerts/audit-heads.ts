import type { AuditHead } from '../store/audit-chain.ts'
import type { Alert } from './alert.ts'

export interface AuditHeadsDeps {
  readonly head: () => Promise<AuditHead | undefined>
  /** 0: never. */
  readonly everyMs: number
  readonly nowMs: () => number
  readonly send: (alert: Alert) => void
  readonly onError: (error: unknown) => void
}

/**
 * Sends the last entry of the audit trail to the receiver of alerts. The copy there shows when the
 * end of the trail is cut off later.
 */
export function sendAuditHeads({ head, everyMs, nowMs, send, onError }: AuditHeadsDeps) {
  let timer: NodeJS.Timeout | undefined

  async function report(): Promise<void> {
    try {
      const last = await head()
      if (last === undefined) return
      send({
        type: 'audit.head',
        at: new Date(nowMs()).toISOString(),
        subject: 'audit trail',
        state: 'raised',
        message: `Nothing is wrong. The last entry of the audit trail is ${last.id}:${last.hash}`,
        detail: { ...last },
      })
    } catch (error) {
      onError(error)
    }
  }

  return {
    /** Sends it now, and then regularly until `stop()`. */
    start(): void {
      if (everyMs === 0) return
      void report()
      timer = setInterval(() => void report(), everyMs).unref()
    },
    stop: () => clearInterval(timer),
  }
}
