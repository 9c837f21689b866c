import type { ApprovalState } from 'schema'
import type { Author, NewAuditEntry } from './audit-chain.ts'
import type { approvals } from './sqlite/tables.ts'

export type ApprovalRow = typeof approvals.$inferSelect

/** An approval, with the e-mail of who asked. */
export type ListedApproval = ApprovalRow & { readonly requestedByEmail: string }

export type SealedRequest = Pick<ApprovalRow, 'requestSealed' | 'keyId'>

export type NewApprovalRow = Pick<
  ApprovalRow,
  | 'action'
  | 'subjectKind'
  | 'subject'
  | 'before'
  | 'after'
  | 'basis'
  | 'requestedBy'
  | 'requestedAtMs'
  | 'expiresAtMs'
>

/** What waits for another administrator, or waited. */
export interface ApprovalStore {
  /** The newest, of one state when it is given. */
  list(state?: ApprovalState): Promise<ListedApproval[]>

  find(id: number): Promise<ListedApproval | undefined>

  /** All rows with a sealed request. */
  listSealed(): Promise<ApprovalRow[]>

  /**
   * @param seal is called with the id of the row, which the sealed request belongs to
   * @throws ApprovalsFullError, StoreUnwritableError
   */
  insert(
    approval: NewApprovalRow,
    seal: (id: number) => SealedRequest,
    toEntry: (id: number) => NewAuditEntry,
  ): Promise<ListedApproval>

  /**
   * It was carried out. Where its change had an entry, it has been settled with it.
   * @throws StoreUnwritableError
   */
  settle(id: number, author: Author): Promise<ListedApproval>

  /**
   * Ends an approval without carrying it out, and removes its request. One that failed half-way
   * was settled with its first change, and is marked too.
   * @throws StoreUnwritableError
   */
  end(
    id: number,
    state: 'rejected' | 'withdrawn' | 'failed',
    reason: string | null,
    author: Author,
  ): Promise<ListedApproval>

  /** @returns how many expired @throws StoreUnwritableError */
  expire(nowMs: number): Promise<number>

  /** Removes what was decided before a time. @throws StoreUnwritableError */
  removeOlderThan(atMs: number): Promise<void>

  /** Stores the same request sealed again. @throws StoreUnwritableError */
  reseal(id: number, request: SealedRequest): Promise<void>
}
