import {
  type Client,
  type ClientChanges,
  createClient,
  deleteClient,
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

/** A credential as a gateway may list it: ours never sends the secret and always the permissions, another may not. */
export type ClientRecord = Omit<Client, 'permissions'> & {
  readonly permissions?: readonly Permission[]
  readonly clientSecret?: string
}

export const useClients = () => useQuery(listClients)

/** Where clients have exchange keys. */
export const useKeysOfClients = () => useQuery(listApiKeys)

export const useCreateClient = () => useAction(createClient, { readAgain: [listClients] })

/** Changes a client; the list shows the answer at once and is then read again. */
export function useUpdateClient() {
  const { mutate } = useSWRConfig()
  const { trigger, isPending } = useAction(updateClient)
  const update = async ({ id }: Pick<Client, 'id'>, body: ClientChanges) => {
    const answer = await trigger({ params: { id }, body })
    const change = (list: Client[] | undefined) =>
      list?.map((client) => (client.id === id ? { ...client, ...answer } : client))
    // The list shows its own failure.
    void mutate<Client[]>(queryKey(listClients), change, { revalidate: true }).catch(() => {})
  }
  return { update, isPending }
}

/** Switches a client; the list shows the answer at once and is then read again. */
export function useToggleClient() {
  const { mutate } = useSWRConfig()
  const { trigger, isPending } = useAction(toggleClient)
  const toggle = async ({ id, isActive }: Pick<Client, 'id' | 'isActive'>) => {
    await trigger({ params: { id }, body: { isActive: !isActive } })
    const change = (list: Client[] | undefined) =>
      list?.map((client) => (client.id === id ? { ...client, isActive: !isActive } : client))
    // The list shows its own failure.
    void mutate<Client[]>(queryKey(listClients), change, { revalidate: true }).catch(() => {})
  }
  return { toggle, isPending }
}

/** Deletes a client for good; its row goes at once, and the exchange keys are read again. */
export function useDeleteClient() {
  const { mutate } = useSWRConfig()
  const { trigger, isPending } = useAction(deleteClient, { readAgain: [listApiKeys] })
  const remove = async ({ id }: Pick<Client, 'id'>) => {
    await trigger({ params: { id } })
    const change = (list: Client[] | undefined) => list?.filter((client) => client.id !== id)
    // The list shows its own failure.
    void mutate<Client[]>(queryKey(listClients), change, { revalidate: true }).catch(() => {})
  }
  return { remove, isPending }
}
