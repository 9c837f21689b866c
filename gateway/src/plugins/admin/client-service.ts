import {
  type Client,
  type ClientChanges,
  effectiveState,
  type LimitUsage,
  type ListedClient,
  type NewClient,
  nearestLimit,
  PERMISSIONS,
  type Permission,
  wouldHaveRefused,
} from 'schema'
import type { Author } from '../../store/audit-chain.ts'
import { limitsOf } from '../../store/client-limits.ts'
import type {
  ClientChangesRow,
  ClientEntry,
  ClientRow,
  ClientStore,
} from '../../store/client-store.ts'
import type { JournalStore } from '../../store/journal-store.ts'
import type { TokenStore } from '../../store/token-store.ts'
import { ClientSwitchedOffError } from '../../upstream/errors.ts'
import type { Events } from '../../upstream/events.ts'
import type { ClientSecrets } from '../../vault/client-secret.ts'
import { aboutClient, clientFacts } from './audit-facts.ts'
import { ClientNotFoundError, ClientOrdersInDoubtError } from './errors.ts'
import type { ChangedBy } from './loosening.ts'

/** Nearly all unknown outcomes are resolved within minutes; a batch without ids never is. */
const DOUBT_MS = 86_400_000

export interface ClientServiceDeps {
  readonly clients: Pick<
    ClientStore,
    'list' | 'count' | 'insert' | 'update' | 'setActive' | 'remove'
  >
  readonly tokens: Pick<TokenStore, 'revokeAll'>
  readonly secrets: Pick<ClientSecrets, 'make'>
  readonly journal: Pick<JournalStore, 'isInDoubt'>
  /** Rejects the client's requests in all queues. */
  readonly dropQueued: (clientId: string, reason: Error) => void
  readonly events: Pick<Events, 'emit'>
  readonly usageOf: (clientRef: number) => LimitUsage
  readonly nowMs: () => number
}

/** Client credentials: create, change, switch on and off, delete. */
export function createClientService(deps: ClientServiceDeps) {
  const { clients, tokens, secrets, journal, events, dropQueued, usageOf, nowMs } = deps

  /**
   * After this, nothing of the client passes: it gets no new token, its tokens are revoked, and its
   * queued requests are rejected.
   */
  async function switchOff(id: number, toEntry: ClientEntry): Promise<ClientRow> {
    const row = await clients.setActive(id, false, nowMs(), toEntry)
    if (row === undefined) throw new ClientNotFoundError(String(id))
    await tokens.revokeAll(id, nowMs())
    dropQueued(row.clientId, new ClientSwitchedOffError())
    return row
  }

  /** Limits, stops and their use are in memory: a list of thousands reads nothing more. */
  function toListed(row: ClientRow): ListedClient {
    const limits = limitsOf(row)
    const usage = usageOf(row.id)
    return {
      ...toClient(row),
      state: effectiveState(limits, row.stoppedAtMs !== null, nowMs()),
      nearestLimit: nearestLimit(limits, usage),
      wouldHaveRefused: wouldHaveRefused(limits, usage),
    }
  }

  return {
    /** A page, newest first, and the number of all clients. */
    async list(limit: number, beforeId?: number): Promise<{ page: ListedClient[]; total: number }> {
      const page = (await clients.list(limit, beforeId)).map(toListed)
      return { page, total: await clients.count() }
    },

    /** @throws ClientIdTakenError */
    async create(
      { clientId, ...rest }: NewClient,
      author: Author,
    ): Promise<Client & { clientSecret: string }> {
      const { secret, hash, preview } = secrets.make()
      const client = {
        clientId,
        description: null,
        ...toColumns(rest),
        secretHash: hash,
        secretPreview: preview,
        createdAtMs: nowMs(),
      }
      const row = await clients.insert(client, (after) =>
        aboutClient(author, clientId, { action: 'client.created', after: clientFacts(after) }),
      )
      return { ...toClient(row), clientSecret: secret }
    },

    /**
     * Changes only the given fields.
     * @throws ClientNotFoundError, and for added permissions why they may not loosen
     */
    async update(id: number, changes: ClientChanges, by: ChangedBy): Promise<Client> {
      const toEntry = toChange(by.author, 'client.changed', by.whyNotLoosen)
      const row = await clients.update(id, toColumns(changes), nowMs(), toEntry)
      if (row === undefined) throw new ClientNotFoundError(String(id))
      return toClient(row)
    },

    /** @throws ClientNotFoundError, and for switching on why they may not loosen */
    async setActive(id: number, isActive: boolean, by: ChangedBy): Promise<Client> {
      if (!isActive) return toClient(await switchOff(id, toChange(by.author, 'client.disabled')))
      const toEntry = toChange(by.author, 'client.enabled', by.whyNotLoosen)
      const row = await clients.setActive(id, true, nowMs(), toEntry)
      if (row === undefined) throw new ClientNotFoundError(String(id))
      return toClient(row)
    },

    /**
     * Deletes a client. Unknown outcomes of its orders block this for a day, so that they can still
     * be resolved.
     * @throws ClientNotFoundError; ClientOrdersInDoubtError, after the client was switched off
     */
    async remove(id: number, author: Author): Promise<void> {
      const { clientId } = await switchOff(id, toChange(author, 'client.deletion-requested'))
      if (await journal.isInDoubt(id, nowMs() - DOUBT_MS))
        throw new ClientOrdersInDoubtError(clientId)
      await clients.remove(id, (row) =>
        aboutClient(author, clientId, {
          action: 'client.deleted',
          before: { ...clientFacts(row), limits: row.limits },
        }),
      )
      events.emit('clientDeleted', { clientRef: id, clientId })
    },
  }
}
export type ClientService = ReturnType<typeof createClientService>

/**
 * The entry of a change of a client's own fields. Without one, the change is not made.
 * @param whyNotLoosen thrown when the change allows more than before
 */
function toChange(author: Author, action: string, whyNotLoosen: Error | null = null): ClientEntry {
  return (before, after) => {
    if (whyNotLoosen !== null && opens(before, after)) throw whyNotLoosen
    return aboutClient(author, after.clientId, {
      action,
      before: clientFacts(before),
      after: clientFacts(after),
    })
  }
}

/** Whether a client was switched on, or has a permission that it did not have. */
function opens(before: ClientRow, after: ClientRow): boolean {
  const isSwitchedOn = after.active && !before.active
  return isSwitchedOn || after.permissions.some((each) => !before.permissions.includes(each))
}

function toColumns({ description, permissions }: ClientChanges): ClientChangesRow {
  return {
    ...(description === undefined ? {} : { description: description.trim() || null }),
    ...(permissions === undefined ? {} : { permissions: inOrder(permissions) }),
  }
}

const inOrder = (permissions: readonly Permission[]) =>
  PERMISSIONS.filter((permission) => permissions.includes(permission))

function toClient(row: ClientRow): Client {
  return {
    id: row.id,
    clientId: row.clientId,
    description: row.description,
    isActive: row.active,
    permissions: [...row.permissions],
    secretPreview: row.secretPreview,
    createdAt: new Date(row.createdAtMs).toISOString(),
  }
}
