import { createError } from '@fastify/error'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  type AuditAction,
  CLIENT_LIMIT_MAX,
  type Client,
  type ClientChanges,
  createClient,
  deleteClient,
  EXCHANGES,
  type ExchangeCode,
  effectiveState,
  type ListedClient,
  listClients,
  nearestLimit,
  PERMISSIONS,
  type Permission,
  toggleClient,
  updateClient,
  wouldHaveRefused,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { actsWith, type By } from '../../http/act.ts'
import { routeOf } from '../../http/route.ts'
import type { AuditFacts } from '../../store/audit-chain.ts'
import type {
  ClientChangesRow,
  ClientEntry,
  ClientRow,
  ClientStore,
} from '../../store/client-store.ts'
import { limitsOf } from '../../store/client-store.ts'
import { ClientSwitchedOffError } from '../../upstream/errors.ts'

export const ClientNotFoundError = createError<[id: string]>(
  'CLIENT_NOT_FOUND',
  'No client credential has the id "%s"; it may have been deleted',
  404,
)

const ClientOrdersInDoubtError = createError<[clientId: string]>(
  'CLIENT_ORDERS_IN_DOUBT',
  '%s still has orders with unknown outcomes. It is now disabled; delete it once they are resolved (within a day)',
  409,
)

/** Nearly all unknown outcomes are resolved within minutes; a batch without ids never is. */
const DOUBT_MS = 86_400_000

type ClientParts = Pick<Parts, 'stores' | 'vault' | 'exchanges' | 'limits' | 'events' | 'nowMs'>

/** Client credentials: list, create, change, switch on and off, delete. */
export const clientRoutes: FastifyPluginAsyncTypebox<ClientParts> = async (app, parts) => {
  app.route({
    ...routeOf(listClients),
    handler: async (request, reply) => {
      const { clients } = parts.stores
      const { limit = CLIENT_LIMIT_MAX, before } = request.query
      const page = (await clients.list(limit, before)).map((row) => toListed(parts, row))
      return reply.header('x-total-count', await clients.count()).send(page)
    },
  })
  for (const routeWith of acts) app.route(routeWith(parts))
}

const act = actsWith<ClientParts>()

const acts = [
  act(createClient, {
    entries: ['client.created'],
    hasSecret: true,
    /** @throws ClientIdTakenError */
    async run({ body: { clientId, ...rest } }, by, { stores, vault, nowMs }) {
      const { secret, hash, preview } = vault.secrets.make()
      const client = {
        clientId,
        description: null,
        ...toColumns(rest),
        secretHash: hash,
        secretPreview: preview,
        createdAtMs: nowMs(),
      }
      const row = await stores.clients.insert(client, (after) =>
        by.entry({ action: 'client.created', ...ofClient(clientId), after: clientFacts(after) }),
      )
      by.log('client created', { clientId })
      return { ...toClient(row), clientSecret: secret }
    },
  }),

  act(updateClient, {
    entries: ['client.changed'],
    /**
     * Changes only the given fields.
     * @throws ClientNotFoundError, and for added permissions why they may not loosen
     */
    async run({ params: { id }, body }, by, { stores, nowMs }) {
      const toEntry = toChange(by, 'client.changed', by.request.whyNotLoosen)
      const row = await stores.clients.update(id, toColumns(body), nowMs(), toEntry)
      if (row === undefined) throw new ClientNotFoundError(String(id))
      const { clientId, permissions } = row
      by.log('client changed', { clientId, permissions: permissions.join(' ') })
      return toClient(row)
    },
  }),

  act(toggleClient, {
    entries: ['client.enabled', 'client.disabled'],
    /** @throws ClientNotFoundError, and for switching on why they may not loosen */
    async run({ params: { id }, body: { isActive } }, by, parts) {
      const { row, dropped } = isActive
        ? await switchOn(parts, id, toChange(by, 'client.enabled', by.request.whyNotLoosen))
        : await switchOff(parts, id, toChange(by, 'client.disabled'))
      const { clientId } = row
      by.log(isActive ? 'client switched on' : 'client switched off', { clientId, dropped })
      return { ...toClient(row), dropped }
    },
  }),

  act(deleteClient, {
    entries: ['client.deletion-requested', 'client.deleted'],
    /**
     * Deletes a client. Unknown outcomes of its orders block this for a day, so that they can still
     * be resolved.
     * @throws ClientNotFoundError; ClientOrdersInDoubtError, after the client was switched off
     */
    async run({ params: { id } }, by, parts) {
      const { clients, journal } = parts.stores
      const toEntry = toChange(by, 'client.deletion-requested')
      const { clientId } = (await switchOff(parts, id, toEntry)).row
      if (await journal.isInDoubt(id, parts.nowMs() - DOUBT_MS)) {
        by.log('client switched off', { id })
        throw new ClientOrdersInDoubtError(clientId)
      }
      await clients.remove(id, (row) =>
        by.entry({
          ...{ action: 'client.deleted', ...ofClient(clientId) },
          before: { ...clientFacts(row), limits: row.limits },
        }),
      )
      parts.events.emit('clientDeleted', { clientRef: id, clientId })
      by.log('client deleted', { id })
    },
  }),
]

async function switchOn({ stores, nowMs }: ClientParts, id: number, toEntry: ClientEntry) {
  const row = await stores.clients.setActive(id, true, nowMs(), toEntry)
  if (row === undefined) throw new ClientNotFoundError(String(id))
  return { row, dropped: 0 }
}

/**
 * After this, nothing of the client passes: it gets no new token, its tokens are revoked, and its
 * queued requests are rejected.
 */
async function switchOff(
  { stores: { clients, tokens }, exchanges: { lanes }, nowMs }: ClientParts,
  id: number,
  toEntry: ClientEntry,
): Promise<{ readonly row: ClientRow; readonly dropped: number }> {
  const row = await clients.setActive(id, false, nowMs(), toEntry)
  if (row === undefined) throw new ClientNotFoundError(String(id))
  await tokens.revokeAll(id, nowMs())
  const drop = (exchange: ExchangeCode) =>
    lanes[exchange].dropClient(row.clientId, new ClientSwitchedOffError())
  return { row, dropped: EXCHANGES.reduce((sum, exchange) => sum + drop(exchange), 0) }
}

/**
 * The entry of a change of a client's own fields. Without one, the change is not made.
 * @param whyNotLoosen thrown when the change allows more than before
 */
function toChange<Action extends AuditAction>(
  by: By<Action>,
  action: Action,
  whyNotLoosen: Error | null = null,
): ClientEntry {
  return (before, after) => {
    if (whyNotLoosen !== null && opens(before, after)) throw whyNotLoosen
    const changed = { before: clientFacts(before), after: clientFacts(after) }
    return by.entry({ action, ...ofClient(after.clientId), ...changed })
  }
}

/** Whether a client was switched on, or has a permission that it did not have. */
function opens(before: ClientRow, after: ClientRow): boolean {
  const isSwitchedOn = after.active && !before.active
  return isSwitchedOn || after.permissions.some((each) => !before.permissions.includes(each))
}

/** What the trail keeps of a client. Its limits have entries of their own. */
function clientFacts(row: ClientRow): AuditFacts {
  const { description, active, permissions, secretPreview } = row
  return { description, isActive: active, permissions, secretPreview }
}

/** The subject of an entry about a client. */
export const ofClient = (clientId: string) => ({ subjectKind: 'client', subject: clientId })

/** @throws ClientNotFoundError */
export async function findClient(
  clients: Pick<ClientStore, 'find'>,
  id: number,
): Promise<ClientRow> {
  const row = await clients.find(id)
  if (row === undefined) throw new ClientNotFoundError(String(id))
  return row
}

/** @throws ClientNotFoundError */
export async function findNamedClient(
  clients: Pick<ClientStore, 'findByClientId'>,
  clientId: string,
): Promise<ClientRow> {
  const row = await clients.findByClientId(clientId)
  if (row === undefined) throw new ClientNotFoundError(clientId)
  return row
}

function toColumns({ description, permissions }: ClientChanges): ClientChangesRow {
  return {
    ...(description === undefined ? {} : { description: description.trim() || null }),
    ...(permissions === undefined ? {} : { permissions: inOrder(permissions) }),
  }
}

const inOrder = (permissions: readonly Permission[]) =>
  PERMISSIONS.filter((permission) => permissions.includes(permission))

/** Limits, stops and their use are in memory: a list of thousands reads nothing more. */
function toListed({ limits, nowMs }: ClientParts, row: ClientRow): ListedClient {
  const own = limitsOf(row)
  const usage = limits.usageOf(row.id)
  return {
    ...toClient(row),
    state: effectiveState(own, row.stoppedAtMs !== null, nowMs()),
    nearestLimit: nearestLimit(own, usage),
    wouldHaveRefused: wouldHaveRefused(own, usage),
  }
}

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
