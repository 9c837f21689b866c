import type { exportAudit, QueryOf } from 'schema'
import { useAddressParams } from '../../components/use-address-param.ts'

/** What narrows the trail, as the address holds it; '' for all. Days are `2026-03-05`. */
export interface AuditFilter {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly from: string
  readonly until: string
}

export const NO_FILTER: AuditFilter = { actor: '', action: '', subject: '', from: '', until: '' }

/** What the list and the export of the trail take. */
export type AuditQuery = Pick<
  QueryOf<typeof exportAudit>,
  'actor' | 'action' | 'subject' | 'from' | 'to'
>

const NAMES = ['actor', 'action', 'subject', 'from', 'until'] as const
const ACTION = /^[a-z-]+(\.[a-z-]+)?$/

export function useAuditFilter(): [AuditFilter, (filter: AuditFilter) => void] {
  const [{ actor, action, subject, from, until }, change] = useAddressParams(NAMES)
  return [{ actor, action: ACTION.test(action) ? action : '', subject, from, until }, change]
}

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
