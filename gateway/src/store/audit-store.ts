import type { AuditHead, AuditRow, NewAuditEntry } from './audit-chain.ts'

/** What narrows the trail. Texts match in upper and lower case. */
export interface AuditFilter {
  /** At or after this time. */
  readonly fromMs?: number | undefined
  /** Before this time. */
  readonly toMs?: number | undefined
  /** A part of the name. */
  readonly actor?: string | undefined
  /** A whole action, or its part before a dot. */
  readonly action?: string | undefined
  /** A part of the name. */
  readonly subject?: string | undefined
}

export interface AuditPage extends AuditFilter {
  readonly limit: number
  /** Only entries below this id. */
  readonly beforeId?: number | undefined
}

export interface AuditProblem {
  /** The entry at which the chain breaks. */
  readonly id: number
  readonly problem: string
}

export interface VerifiedAudit {
  readonly entries: number
  readonly head: AuditHead | undefined
  /** The first break; undefined when the chain is whole. */
  readonly broken: AuditProblem | undefined
}

/** The audit trail: entries are appended and read, never changed or removed. */
export interface AuditStore {
  /**
   * Appends an entry of its own: for acts that change no table.
   * @param fence for an act of the owner of the exchanges, as for StopStore.begin
   * @throws StoreUnwritableError, NotOwnerError
   */
  append(entry: NewAuditEntry, fence?: number): Promise<AuditHead>

  head(): Promise<AuditHead | undefined>

  /** A page, newest first. */
  page(page: AuditPage, signal?: AbortSignal): Promise<AuditRow[]>

  /** Everything that a filter matches, newest first, in pieces. */
  all(filter: AuditFilter, signal?: AbortSignal): AsyncGenerator<AuditRow[], void>

  /**
   * Verifies the whole trail. It reads every entry without a pause: for a process of its own.
   * @param known heads that were seen before: the trail must still have these entries
   */
  verify(known?: readonly AuditHead[]): Promise<VerifiedAudit>
}
