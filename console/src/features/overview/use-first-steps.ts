import { useEffect, useEffectEvent } from 'react'
import { catalogue, listClients, listLogs } from 'schema'
import { useQuery } from '../../api/use-query.ts'
import { useKeys } from './use-keys.ts'

/** Each is undefined until it is known. */
export interface FirstSteps {
  readonly hasClient: boolean | undefined
  readonly hasKeys: boolean | undefined
  /** An order went well in the window of the log. */
  readonly hasOrder: boolean | undefined
}

const ORDER_PATHS: ReadonlySet<string> = new Set(
  catalogue.filter(({ proxy }) => proxy?.requestClass === 'order').map(({ path }) => path),
)

/** Which of the three first steps are done. Each is looked at once the one before it is. */
export function useFirstSteps(): FirstSteps {
  const { data: clients } = useQuery(listClients)
  const { data: keys } = useKeys()
  const hasClient = clients && clients.length > 0
  const hasKeys = hasClient === false ? false : keys && keys.length > 0
  const orders = useQuery(
    listLogs,
    hasKeys === true ? { query: { method: 'POST', status: 'success', limit: 100 } } : null,
  )
  const placed = orders.data?.some(({ endpoint }) => ORDER_PATHS.has(endpoint))
  const hasOrder = hasKeys === false ? false : placed

  // What an earlier visit read may be old: the order was placed in between.
  const readAgain = useEffectEvent(() => {
    if (orders.data !== undefined && !hasOrder) void orders.refresh()
  })
  useEffect(() => readAgain(), [])
  return { hasClient, hasKeys, hasOrder }
}
