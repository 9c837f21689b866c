import type { ListedApproval } from './approval-store.ts'
import type { Author, NewAuditEntry } from './audit-chain.ts'
import { ApprovalsFullError } from './errors.ts'

/** More than people ask for; a program must not fill the database. */
const WAITING_MAX = 100
/** One admin must not keep the others from asking. */
const WAITING_OF_ONE_MAX = 25

/**
 * @param waiting how many approvals wait: of the one who asks, and of all
 * @throws ApprovalsFullError
 */
export function requireRoom(waiting: { readonly ofAsker: number; readonly ofAll: number }): void {
  if (waiting.ofAsker >= WAITING_OF_ONE_MAX)
    throw new ApprovalsFullError(`${WAITING_OF_ONE_MAX} requests of yours`)
  if (waiting.ofAll >= WAITING_MAX) throw new ApprovalsFullError(`${WAITING_MAX} requests`)
}

/** The entry of an end without a change. */
export function endEntry(ended: ListedApproval, author: Author): NewAuditEntry {
  const { id, action, subjectKind, subject, state, reason, requestedByEmail } = ended
  return {
    author: { ...author, approval: { id, requestedBy: requestedByEmail } },
    ...{ action: `approval.${state}`, subjectKind, subject },
    after: { action, ...(reason === null ? {} : { reason }) },
  }
}
