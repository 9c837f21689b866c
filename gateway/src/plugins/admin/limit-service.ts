import {
  type ClientLimitChanges,
  type ClientLimits,
  hasRole,
  type LimitsWithUsage,
  type LimitUsage,
  type NewClientLimits,
  NO_LIMITS,
  type Role,
} from 'schema'
import type { Review } from '../../http/approvable.ts'
import { RoleForbiddenError } from '../../http/errors.ts'
import { limitsOf, stopOf } from '../../store/client-limits.ts'
import type { ClientRow, ClientStore } from '../../store/client-store.ts'
import { aboutClient } from './audit-facts.ts'
import { ClientNotFoundError } from './errors.ts'
import { toStoredLimits } from './limit-values.ts'
import { type ChangedBy, differences, loosens, STATES } from './loosening.ts'

export interface LimitServiceDeps {
  readonly clients: Pick<ClientStore, 'find' | 'setLimits'>
  /** @param reader `setter`: after a change, which has to know the orders before it */
  readonly readUsage: (clientRef: number, reader: 'admin' | 'setter') => Promise<LimitUsage>
  readonly nowMs: () => number
}

/** A client's limits, with the id that its bot signs in with, for the audit log. */
export interface LimitsOfClient {
  readonly clientId: string
  readonly limits: LimitsWithUsage
}

/** What clients may trade: read, replace, change. */
export function createLimitService({ clients, readUsage, nowMs }: LimitServiceDeps) {
  async function withUsage(
    id: number,
    row: ClientRow | undefined,
    reader: 'admin' | 'setter',
  ): Promise<LimitsOfClient> {
    if (row === undefined) throw new ClientNotFoundError(String(id))
    const own = limitsOf(row)
    const usage = await readUsage(id, own.maxDayValue === null ? 'admin' : reader)
    const limits = { ...own, stopped: stopOf(row), usage }
    return { clientId: row.clientId, limits }
  }

  async function set(
    id: number,
    change: (limits: ClientLimits) => ClientLimits,
    { author, whyNotLoosen }: ChangedBy,
  ): Promise<LimitsOfClient> {
    const apply = (limits: ClientLimits) => {
      const next = change(limits)
      // In the transaction that changes them: somebody else may have tightened them just before.
      if (whyNotLoosen !== null && loosens(limits, next)) throw whyNotLoosen
      return next
    }
    const row = await clients.setLimits(id, apply, nowMs(), (before, after) =>
      aboutClient(author, after.clientId, {
        action: 'client-limits.changed',
        before: before.limits === null ? null : { ...before.limits },
        after: { ...after.limits },
      }),
    )
    return withUsage(id, row, 'setter')
  }

  return {
    /** @throws ClientNotFoundError */
    async read(id: number): Promise<LimitsWithUsage> {
      return (await withUsage(id, await clients.find(id), 'admin')).limits
    },

    /**
     * What limits would change; null when they allow no more than before.
     * @param keep whether limits that are absent stay
     * @throws ClientNotFoundError, ValidationError
     */
    async review(id: number, changes: ClientLimitChanges, keep: boolean): Promise<Review | null> {
      const row = await clients.find(id)
      if (row === undefined) throw new ClientNotFoundError(String(id))
      const before = limitsOf(row)
      const after = { ...(keep ? before : NO_LIMITS), ...toStoredLimits(changes) }
      if (!loosens(before, after)) return null
      const about = { subjectKind: 'client', subject: row.clientId }
      return { ...about, ...differences(before, after), basis: [row.id, before] }
    },

    /**
     * Limits that are absent are removed.
     * @throws ClientNotFoundError, ValidationError, and why they may not loosen
     */
    async replace(id: number, limits: NewClientLimits, by: ChangedBy): Promise<LimitsOfClient> {
      const stored = toStoredLimits(limits)
      return set(id, () => ({ ...NO_LIMITS, ...stored }), by)
    },

    /**
     * Limits that are absent stay. An operator may only tighten the state.
     * @throws ClientNotFoundError, ValidationError, RoleForbiddenError, and why they may not loosen
     */
    async change(
      id: number,
      changes: ClientLimitChanges,
      by: ChangedBy,
      role: Role,
    ): Promise<LimitsOfClient> {
      const stored = toStoredLimits(changes)
      const apply = (limits: ClientLimits) => {
        if (!hasRole(role, 'admin') && !isTightening(limits, stored))
          throw new RoleForbiddenError(role, 'admin')
        return { ...limits, ...stored }
      }
      return set(id, apply, by)
    },
  }
}
/** Whether nothing but the state changes, and it allows no more than before. */
function isTightening(limits: ClientLimits, changes: Partial<ClientLimits>): boolean {
  const { state, ...others } = changes
  const isStateAlone = state !== undefined && Object.keys(others).length === 0
  return isStateAlone && STATES.indexOf(state) >= STATES.indexOf(limits.state)
}

export type LimitService = ReturnType<typeof createLimitService>
