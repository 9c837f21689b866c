import { useState } from 'react'
import { AUDIT_LIMIT, type AuditEntry, listAudit, type ResponseOf } from 'schema'
import { changesOf } from '../../api/audit-entries.ts'
import { call, SESSION_ENDED } from '../../api/client.ts'
import { reportFailure } from '../../api/failures.tsx'
import { useQuery } from '../../api/queries.tsx'
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

type Page = ResponseOf<typeof listAudit>

/** The entries that pass a filter, newest first, and how to read the older ones. */
export function useAuditEntries(filter: AuditFilter) {
  const query = { ...toAuditQuery(filter), limit: AUDIT_LIMIT }
  const first = useQuery(listAudit, { query })
  /** The pages after the first one, with the first one that they follow. */
  const [older, setOlder] = useState<readonly Page[]>([])
  const [of, setOf] = useState(first.data)
  const [isReadingOlder, setReadingOlder] = useState(false)
  if (of !== first.data) {
    setOf(first.data)
    setOlder([])
  }
  const pages = first.data === undefined ? [] : [first.data, ...older]
  const cursor = pages.at(-1)?.nextCursor ?? null

  async function readOlder(): Promise<void> {
    if (cursor === null) return
    setReadingOlder(true)
    try {
      const page = await call(listAudit, { query: { ...query, cursor } })
      if (page !== SESSION_ENDED) setOlder((before) => [...before, page])
    } catch (error) {
      reportFailure(error)
    } finally {
      setReadingOlder(false)
    }
  }
  const { field } = filter
  const hasChanged = (entry: AuditEntry) =>
    field === '' || changesOf(entry).some((change) => change.field === field)
  const entries = pages.flatMap((page) => page.entries).filter(hasChanged)
  return { first, entries, hasOlder: cursor !== null, isReadingOlder, readOlder }
}
