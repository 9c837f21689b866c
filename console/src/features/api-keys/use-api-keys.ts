import { deleteApiKey, listApiKeys, listClients, saveApiKey, testApiKey } from 'schema'
import { useSWRConfig } from 'swr'
import { queryKey } from '../../api/query-key.ts'
import { useAction } from '../../api/use-action.ts'
import { useQuery } from '../../api/use-query.ts'

export const useApiKeys = () => useQuery(listApiKeys)

/** The clients that keys can belong to. */
export const useKeyClients = () => useQuery(listClients)

export const useSaveApiKey = () => useAction(saveApiKey, { readAgain: [listApiKeys] })

export const useDeleteApiKey = () => useAction(deleteApiKey, { readAgain: [listApiKeys] })

/** Tests keys. The list is read again whatever came out: a failed test changes the row too. */
export function useTestApiKey() {
  const { mutate } = useSWRConfig()
  const { trigger, isPending } = useAction(testApiKey)
  const test = async (body: Parameters<typeof trigger>[0]['body']) => {
    try {
      return await trigger({ body })
    } finally {
      // A read that fails rejects nothing: it is the list's own `error`, which the page shows.
      void mutate(queryKey(listApiKeys))
    }
  }
  return { test, isPending }
}
