import {
  type Client,
  createClient,
  deleteClient,
  type ListedClient,
  listApiKeys,
  listClients,
  type Permission,
  toggleClient,
  updateClient,
} from 'schema'
import { NEAR_PERCENT } from '../../api/exchange-state.ts'
import { useResource } from '../../api/use-action.ts'

/**
 * A credential as a gateway may list it: ours never sends the secret and always the permissions,
 * another may not.
 */
export type ClientRecord = Omit<ListedClient, 'permissions'> & {
  readonly permissions?: readonly Permission[]
  readonly clientSecret?: string
}

/** A secret that was made right now, with whose it is. */
export interface NewSecret {
  readonly clientId: string
  readonly clientSecret: string
}

const changed = (list: ListedClient[], id: number, changes: Partial<Client>) =>
  list.map((client) => (client.id === id ? { ...client, ...changes } : client))

/** The clients, and what changes them. */
export const useClients = () =>
  useResource(listClients, {
    create: { endpoint: createClient },
    update: {
      endpoint: updateClient,
      change: (list, { params }, response) => changed(list, Number(params.id), response),
    },
    toggle: {
      endpoint: toggleClient,
      change: (list, { params, body }) => changed(list, Number(params.id), body),
    },
    remove: {
      endpoint: deleteClient,
      readAgain: [listApiKeys],
      listedIn: [listClients, listApiKeys],
      change: (list, { params }) => list.filter(({ id }) => id !== Number(params.id)),
    },
  })
export type Clients = ReturnType<typeof useClients>

/** What holds for a client, as the badge of its state shows it. */
export const STATE_COLOURS = {
  active: 'green',
  reducing: 'yellow',
  halted: 'red',
  stopped: 'red',
  expired: 'gray',
} as const

/** How near a limit is to being used up. */
export function nearness(percent: number | null): 'free' | 'near' | 'reached' {
  if (percent === null || percent < NEAR_PERCENT) return 'free'
  return percent < 100 ? 'near' : 'reached'
}
