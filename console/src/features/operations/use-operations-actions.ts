import {
  changeClientLimits,
  type Endpoint,
  getOperations,
  listQueue,
  resumeEverything,
  resumeExchange,
  stopClient,
  stopEverything,
  stopExchange,
} from 'schema'
import { useAction } from '../../api/use-action.ts'

/** What every action on this page changes. */
const CHANGED: readonly Endpoint[] = [getOperations, listQueue]

// The page shows what the gateway says next, never what it hopes for.
export const useStopExchange = () => useAction(stopExchange, { readAgain: CHANGED })
export const useResumeExchange = () => useAction(resumeExchange, { readAgain: CHANGED })
export const useStopEverything = () => useAction(stopEverything, { readAgain: CHANGED })
export const useResumeEverything = () => useAction(resumeEverything, { readAgain: CHANGED })
export const useStopClient = () => useAction(stopClient, { readAgain: CHANGED })
export const useHaltClient = () => useAction(changeClientLimits, { readAgain: CHANGED })
