import type { Approval } from 'schema'
import type { ListedApproval } from '../../store/approval-store.ts'

export function toApproval(row: ListedApproval): Approval {
  const { id, action, subjectKind, subject, state, decidedBy, decidedAtMs, reason } = row
  return {
    ...{ id, action, subjectKind, subject },
    summary: { before: toFacts(row.before), after: toFacts(row.after) },
    requestedBy: row.requestedByEmail,
    requestedAt: isoOf(row.requestedAtMs),
    expiresAt: isoOf(row.expiresAtMs),
    ...{ state, decidedBy, reason },
    decidedAt: decidedAtMs === null ? null : isoOf(decidedAtMs),
  }
}

function toFacts(text: string | null): Approval['summary']['before'] {
  return text === null ? null : JSON.parse(text)
}

const isoOf = (ms: number) => new Date(ms).toISOString()
