import { useEffect, useEffectEvent } from 'react'
import { catalogue, listApiKeys, listClients, listLogs } from 'schema'
import { useQuery } from '../../api/use-query.ts'

export interface FirstSteps {
  readonly hasClient: boolean
  readonly hasKeys: boolean
  /** An order went well in the window of the log. */
  readonly hasOrder: boolean
}

const ORDER_PATHS: ReadonlySet<string> = new Set(
  catalogue.filter(({ proxy }) => proxy?.requestClass === 'order').map(({ path }) => path),
)

/** Which of the three first steps are done. Each is looked at once the one before it is. */
export function useFirstSteps(): FirstSteps {
  const { data: clients } = useQuery(listClients)
  const hasClient = (clients?.length ?? 0) > 0
  const { data: keys } = useQuery(listApiKeys, hasClient ? {} : null)
  const hasKeys = (keys?.length ?? 0) > 0
  const orders = useQuery(
    listLogs,
    hasKeys ? { query: { method: 'POST', status: 'success', limit: 100 } } : null,
  )
  const hasOrder = orders.data?.some(({ endpoint }) => ORDER_PATHS.has(endpoint)) ?? false

  // What an earlier visit read may be old: the order was placed in between.
  const readAgain = useEffectEvent(() => {
    if (orders.data !== undefined && !hasOrder) void orders.refresh()
  })
  useEffect(() => readAgain(), [])
  return { hasClient, hasKeys, hasOrder }
}
