import {
  type Client,
  type ClientChanges,
  createClient,
  deleteClient,
  type ListedClient,
  listApiKeys,
  listClients,
  type Permission,
  toggleClient,
  updateClient,
} from 'schema'
import { useSWRConfig } from 'swr'
import { queryKey } from '../../api/query-key.ts'
import { useAction } from '../../api/use-action.ts'
import { useQuery } from '../../api/use-query.ts'

/**
 * A credential as a gateway may list it: ours never sends the secret and always the permissions,
 * another may not.
 */
export type ClientRecord = Omit<ListedClient, 'permissions'> & {
  readonly permissions?: readonly Permission[]
  readonly clientSecret?: string
}

export const useClients = () => useQuery(listClients)

/** Where clients have exchange keys. */
export const useKeysOfClients = () => useQuery(listApiKeys)

export const useCreateClient = () => useAction(createClient, { readAgain: [listClients] })

/**
 * Shows a change in the list at once and reads it again. A read that fails rejects nothing: it is
 * the list's own `error`, which the page shows.
 */
function useChangeClients() {
  const { mutate } = useSWRConfig()
  return (change: (list: Client[]) => Client[]) =>
    void mutate<Client[]>(queryKey(listClients), (list) => list && change(list))
}

/** Changes a client; the list shows the response at once and is then read again. */
export function useUpdateClient() {
  const changeClients = useChangeClients()
  const { trigger, isPending } = useAction(updateClient, { listedIn: [listClients] })
  const update = async ({ id }: Pick<Client, 'id'>, body: ClientChanges) => {
    const response = await trigger({ params: { id }, body })
    changeClients((list) =>
      list.map((client) => (client.id === id ? { ...client, ...response } : client)),
    )
  }
  return { update, isPending }
}

/** Switches a client; the list shows the response at once and is then read again. */
export function useToggleClient() {
  const changeClients = useChangeClients()
  const { trigger, isPending } = useAction(toggleClient, { listedIn: [listClients] })
  const toggle = async ({ id, isActive }: Pick<Client, 'id' | 'isActive'>) => {
    await trigger({ params: { id }, body: { isActive: !isActive } })
    changeClients((list) =>
      list.map((client) => (client.id === id ? { ...client, isActive: !isActive } : client)),
    )
  }
  return { toggle, isPending }
}

/**
 * Deletes a client permanently; its row disappears at once, and the exchange keys are read again.
 */
export function useDeleteClient() {
  const changeClients = useChangeClients()
  const { trigger, isPending } = useAction(deleteClient, {
    readAgain: [listApiKeys],
    listedIn: [listClients, listApiKeys],
  })
  const remove = async ({ id }: Pick<Client, 'id'>) => {
    await trigger({ params: { id } })
    changeClients((list) => list.filter((client) => client.id !== id))
  }
  return { remove, isPending }
}
