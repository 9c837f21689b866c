import type { ListedApproval } from '../store/approval-store.ts'
import type { AlertBoard } from './alert-board.ts'

/** One alert for each request that waits for another administrator. */
export function createApprovalAlerts(board: Pick<AlertBoard, 'raise' | 'clear' | 'raised'>) {
  return {
    /** @param waiting all that wait now */
    check(waiting: readonly Pick<ListedApproval, Shown>[]): void {
      for (const { id, action, subject, requestedByEmail, expiresAtMs } of waiting) {
        const expiresAt = new Date(expiresAtMs).toISOString()
        board.raise(
          'approval.waiting',
          `${id}`,
          `${requestedByEmail} asks for "${action}" of "${subject}". It waits for another admin until ${expiresAt}; approve or reject it on the Approvals page`,
          { action, subject, requestedBy: requestedByEmail, expiresAt },
        )
      }
      for (const { subject: id } of board.raised('approval.waiting'))
        if (!waiting.some((each) => `${each.id}` === id))
          board.clear('approval.waiting', id, 'It no longer waits for approval')
    },
  }
}

type Shown = 'id' | 'action' | 'subject' | 'requestedByEmail' | 'expiresAtMs'
