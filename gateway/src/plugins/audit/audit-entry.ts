import type { AuditEntry } from 'schema'
import { toCell } from '../../http/shown-text.ts'
import type { AuditRow } from '../../store/audit-chain.ts'

/** An entry as it is shown. */
export function toAuditEntry({ atMs, before, after, ...row }: AuditRow): AuditEntry {
  return {
    ...row,
    at: new Date(atMs).toISOString(),
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
  }
}

const HEADER =
  'Id,Time,Actor,Kind,Address,Action,Subject kind,Subject,Before,After,Session,Request id,Hash'
/** Without the byte order mark, spreadsheets read the file in the system's old character set. */
export const AUDIT_CSV_HEAD = `\ufeff${HEADER}\r\n`

/** A line of the file (RFC 4180). */
export function toAuditCsvLine(row: AuditRow): string {
  const cells = [
    ...[`${row.id}`, new Date(row.atMs).toISOString(), row.actor, row.actorKind, row.address],
    ...[row.action, row.subjectKind, row.subject, row.before, row.after],
    ...[row.session, row.requestId, row.hash],
  ]
  return `${cells.map((cell) => toCell(cell ?? '')).join(',')}\r\n`
}
