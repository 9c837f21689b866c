import {
  changeClientLimits,
  type Endpoint,
  endOrder,
  getOperations,
  listClients,
  listOrders,
  listQueue,
  resumeClient,
  resumeEverything,
  resumeExchange,
  stopClient,
  stopEverything,
  stopExchange,
} from 'schema'
import { useAction } from '../../api/use-action.ts'

/** What every action on this page changes. */
const CHANGED: readonly Endpoint[] = [getOperations, listQueue]
/** What an action on a client changes. */
const CLIENT_CHANGED: readonly Endpoint[] = [...CHANGED, listClients]

// The page shows what the gateway says next, never what it hopes for.
export const useStopExchange = () =>
  useAction(stopExchange, { readAgain: CHANGED, alsoOffline: true })
export const useResumeExchange = () => useAction(resumeExchange, { readAgain: CHANGED })
export const useStopEverything = () =>
  useAction(stopEverything, { readAgain: CHANGED, alsoOffline: true })
export const useResumeEverything = () => useAction(resumeEverything, { readAgain: CHANGED })
export const useStopClient = () =>
  useAction(stopClient, { readAgain: CLIENT_CHANGED, alsoOffline: true })
export const useHaltClient = () =>
  useAction(changeClientLimits, { readAgain: CLIENT_CHANGED, alsoOffline: true })
export const useEndOrder = () => useAction(endOrder, { readAgain: [getOperations, listOrders] })
export const useResumeClient = () => useAction(resumeClient, { readAgain: CLIENT_CHANGED })
