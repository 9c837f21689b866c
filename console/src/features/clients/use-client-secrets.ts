import { endOldSecret, listClientSecrets, listClients, rotateClientSecret } from 'schema'
import { useSWRConfig } from 'swr'
import { queryKey } from '../../api/query-key.ts'
import { useAction } from '../../api/use-action.ts'
import { useLiveQuery } from '../../api/use-live-query.ts'

/** The gateway knows the last use to the minute. */
const EVERY_MS = 30_000

/** A client's secrets, and what replaces and ends them. */
export function useClientSecrets(id: number) {
  const { mutate } = useSWRConfig()
  const input = { params: { id } }
  const query = useLiveQuery(listClientSecrets, EVERY_MS, false, input)
  const rotating = useAction(rotateClientSecret, { readAgain: [listClients] })
  const ending = useAction(endOldSecret)
  const readAgain = () => void mutate(queryKey(listClientSecrets, input))
  return {
    query,
    isRotating: rotating.isPending,
    isEnding: ending.isPending,
    /** Resolves to the new secret, which no other response has. */
    rotate: async (oldSecretValidSeconds: number): Promise<string> => {
      const { clientSecret } = await rotating.trigger({ ...input, body: { oldSecretValidSeconds } })
      readAgain()
      return clientSecret
    },
    endOld: async () => {
      await ending.trigger(input)
      readAgain()
    },
  }
}
