import { useAddressParams } from '../../components/use-address-param.ts'

/**
 * What narrows the trail, as the address holds it. `field` is one that changed, such as
 * `maxDayValue`: of the entries that were read. Days are `2026-03-05`.
 */
const NAMES = ['actor', 'action', 'subject', 'field', 'from', 'until'] as const
export type AuditFilter = Readonly<Record<(typeof NAMES)[number], string>>

export const NO_FILTER: AuditFilter = {
  ...{ actor: '', action: '', subject: '', field: '', from: '', until: '' },
}

/** A filter as the gateway takes it, for the list and for the export. Days are of this browser. */
export function toAuditQuery({ actor, action, subject, from, until }: AuditFilter) {
  return {
    actor: actor.trim() || undefined,
    action: action || undefined,
    subject: subject.trim() || undefined,
    from: startOf(from, 0),
    to: startOf(until, 1),
  }
}

/** When a day begins, or one that many days later; undefined for what is no day. */
function startOf(day: string, daysLater: number): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined || month === undefined || date === undefined) return undefined
  const at = new Date(Number(year), Number(month) - 1, Number(date) + daysLater).getTime()
  return Math.max(0, at)
}

const ACTION = /^[a-z-]+(\.[a-z-]+)?$/

export function useAuditFilter(): AuditFilter {
  const [filter] = useAddressParams(NAMES)
  return { ...filter, action: ACTION.test(filter.action) ? filter.action : '' }
}
