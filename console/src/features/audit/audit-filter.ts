import type { AuditEntry, exportAudit, QueryOf } from 'schema'
import { changesOf } from '../../api/audit-entries.ts'
import { useAddressParams } from '../../components/use-address-param.ts'

/** What narrows the trail, as the address holds it; '' for all. Days are `2026-03-05`. */
export interface AuditFilter {
  readonly actor: string
  readonly action: string
  readonly subject: string
  /** A field that changed, such as `maxDayValue`: of the entries that were read. */
  readonly field: string
  readonly from: string
  readonly until: string
}

export const NO_FILTER: AuditFilter = {
  ...{ actor: '', action: '', subject: '', field: '', from: '', until: '' },
}

/** What the list and the export of the trail take. */
type AuditQuery = Pick<QueryOf<typeof exportAudit>, 'actor' | 'action' | 'subject' | 'from' | 'to'>

/** A filter as the gateway takes it. Days are those of this browser. */
export function toAuditQuery({ actor, action, subject, from, until }: AuditFilter): AuditQuery {
  const fromMs = startOf(from, 0)
  const toMs = startOf(until, 1)
  return {
    ...(actor.trim() === '' ? {} : { actor: actor.trim() }),
    ...(action === '' ? {} : { action }),
    ...(subject.trim() === '' ? {} : { subject: subject.trim() }),
    ...(fromMs === undefined ? {} : { from: fromMs }),
    ...(toMs === undefined ? {} : { to: toMs }),
  }
}

/** When a day begins, or one that many days later; undefined for what is no day. */
function startOf(day: string, daysLater: number): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined || month === undefined || date === undefined) return undefined
  const at = new Date(Number(year), Number(month) - 1, Number(date) + daysLater).getTime()
  return Math.max(0, at)
}

const NAMES = ['actor', 'action', 'subject', 'field', 'from', 'until'] as const
const ACTION = /^[a-z-]+(\.[a-z-]+)?$/

export function useAuditFilter(): [AuditFilter, (changes: Partial<AuditFilter>) => void] {
  const [values, change] = useAddressParams(NAMES)
  const { actor, action, subject, field, from, until } = values
  const known = ACTION.test(action) ? action : ''
  return [{ actor, action: known, subject, field, from, until }, change]
}

/** Whether an entry has a change of the filter's field. */
export function hasChanged(field: string) {
  return (entry: AuditEntry) =>
    field === '' || changesOf(entry).some((change) => change.field === field)
}
