import {
  type ClientLimitChanges,
  changeClientLimits,
  getClientLimits,
  type LimitsWithUsage,
  listClients,
} from 'schema'
import { useSWRConfig } from 'swr'
import { queryKey } from '../../api/query-key.ts'
import { useAction } from '../../api/use-action.ts'
import { useLiveQuery } from '../../api/use-live-query.ts'

/** How often the use of the limits is read. */
export const USAGE_EVERY_MS = 5000

export const useClientLimits = (id: number) =>
  useLiveQuery(getClientLimits, USAGE_EVERY_MS, false, { params: { id } })

/** Changes limits of a client; the page shows the response at once. */
export function useChangeLimits(id: number) {
  const { mutate } = useSWRConfig()
  const { trigger, isPending } = useAction(changeClientLimits, { readAgain: [listClients] })
  const change = async (body: ClientLimitChanges): Promise<LimitsWithUsage> => {
    const response = await trigger({ params: { id }, body })
    const key = queryKey(getClientLimits, { params: { id } })
    void mutate<LimitsWithUsage>(key, response, { revalidate: false })
    return response
  }
  return { change, isPending }
}
