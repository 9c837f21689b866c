import {
  type ClientLimitChanges,
  type ClientLimits,
  type LimitsWithUsage,
  type LimitUsage,
  type NewClientLimits,
  NO_LIMITS,
} from 'schema'
import { limitsOf, stopOf } from '../../store/client-limits.ts'
import type { ClientRow, ClientStore } from '../../store/client-store.ts'
import { ClientNotFoundError } from './errors.ts'
import { toStoredLimits } from './limit-values.ts'

export interface LimitServiceDeps {
  readonly clients: Pick<ClientStore, 'find' | 'setLimits'>
  readonly usageOf: (clientRef: number) => LimitUsage
  readonly nowMs: () => number
}

/** A client's limits, with the id that its bot signs in with, for the audit log. */
export interface LimitsOfClient {
  readonly clientId: string
  readonly limits: LimitsWithUsage
}

/** What clients may trade: read, replace, change. */
export function createLimitService({ clients, usageOf, nowMs }: LimitServiceDeps) {
  function withUsage(id: number, row: ClientRow | undefined): LimitsOfClient {
    if (row === undefined) throw new ClientNotFoundError(String(id))
    const limits = { ...limitsOf(row), stopped: stopOf(row), usage: usageOf(id) }
    return { clientId: row.clientId, limits }
  }

  const set = async (id: number, change: (limits: ClientLimits) => ClientLimits) =>
    withUsage(id, await clients.setLimits(id, change, nowMs()))

  return {
    /** @throws ClientNotFoundError */
    async read(id: number): Promise<LimitsWithUsage> {
      return (await withUsage(id, await clients.find(id))).limits
    },

    /** Limits that are absent are removed. @throws ClientNotFoundError, ValidationError */
    async replace(id: number, limits: NewClientLimits): Promise<LimitsOfClient> {
      const stored = toStoredLimits(limits)
      return set(id, () => ({ ...NO_LIMITS, ...stored }))
    },

    /** Limits that are absent stay. @throws ClientNotFoundError, ValidationError */
    async change(id: number, changes: ClientLimitChanges): Promise<LimitsOfClient> {
      const stored = toStoredLimits(changes)
      return set(id, (limits) => ({ ...limits, ...stored }))
    },
  }
}
export type LimitService = ReturnType<typeof createLimitService>
