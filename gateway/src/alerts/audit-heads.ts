import type { AuditHead } from '../store/audit-chain.ts'
import type { Time, Timer } from '../time.ts'
import type { Alert } from './alert.ts'

export interface AuditHeadsDeps {
  readonly head: () => Promise<AuditHead | undefined>
  /** 0: never. */
  readonly everyMs: number
  readonly time: Pick<Time, 'now' | 'setInterval'>
  readonly send: (alert: Alert) => void
  readonly onError: (error: unknown) => void
}

/**
 * Sends the last entry of the audit trail to the receiver of alerts. The copy there shows when the
 * end of the trail is cut off later.
 */
export function sendAuditHeads({ head, everyMs, time, send, onError }: AuditHeadsDeps) {
  let timer: Timer | undefined

  async function report(): Promise<void> {
    try {
      const last = await head()
      if (last === undefined) return
      send({
        type: 'audit.head',
        at: new Date(time.now()).toISOString(),
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
      timer = time.setInterval(() => void report(), everyMs).unref()
    },
    stop: () => timer?.cancel(),
  }
}
