import { useState } from 'react'
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
  // Until the page has the new limits, with which the next changes are compared.
  const [isPending, setPending] = useState(false)
  const { trigger } = useAction(changeClientLimits, { readAgain: [listClients] })
  const change = async (body: ClientLimitChanges): Promise<LimitsWithUsage | undefined> => {
    setPending(true)
    try {
      const response: Partial<LimitsWithUsage> | undefined = await trigger({ params: { id }, body })
      const key = queryKey(getClientLimits, { params: { id } })
      // Carried out, also when the response does not say how: then the limits are read again.
      if (response?.usage === undefined) return await mutate<LimitsWithUsage>(key)
      return await mutate(key, response as LimitsWithUsage, { revalidate: false })
    } finally {
      setPending(false)
    }
  }
  return { change, isPending }
}
