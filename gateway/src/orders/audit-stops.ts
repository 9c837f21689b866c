import type { AuditFacts, Author, NewAuditEntry } from '../store/audit-chain.ts'
import { isOfClient, type StopScope } from './stop-scope.ts'

/** Who stops or resumes, why, and what else was asked for. */
export interface StopAct {
  readonly author: Author
  readonly reason?: string
  readonly cancelOrders?: boolean
}

/**
 * The audit entry of a stop or of its end. A stop of everything has one for each exchange.
 * @param name of the client or exchange
 */
export function stopEntry(
  scope: StopScope,
  name: string,
  end: 'stopped' | 'resumed',
  { author, ...asked }: StopAct,
): NewAuditEntry {
  const after: AuditFacts = { ...asked, ...(scope === 'everything' ? { everything: true } : {}) }
  const subjectKind = isOfClient(scope) ? 'client' : 'exchange'
  return { author, action: `${subjectKind}.${end}`, subjectKind, subject: name, after }
}
