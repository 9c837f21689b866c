import { useState } from 'react'
import {
  getClientLimits,
  getClientStop,
  listClients,
  resumeClient,
  type Stop,
  type StopRequest,
  stopClient,
} from 'schema'
import { useSWRConfig } from 'swr'
import { queryKey } from '../../api/query-key.ts'
import { isUnderWay } from '../../api/stop-state.ts'
import { useAction } from '../../api/use-action.ts'
import { useLiveQuery } from '../../api/use-live-query.ts'

const EVERY_MS = 5000
/** While a stop cancels orders. */
const UNDER_WAY_MS = 1000

/** A client's last stop, and what begins and ends one. */
export function useClientStop(id: number) {
  const { mutate } = useSWRConfig()
  const [everyMs, setEveryMs] = useState(EVERY_MS)
  const input = { params: { id } }
  const query = useLiveQuery(getClientStop, everyMs, false, input)
  const stopping = useAction(stopClient, { readAgain: [listClients], alsoOffline: true })
  const resuming = useAction(resumeClient, { readAgain: [listClients] })

  // The response to a stop comes late: the reads show how far it is.
  const wantedMs = stopping.isPending || isUnderWay(query.data) ? UNDER_WAY_MS : EVERY_MS
  if (wantedMs !== everyMs) setEveryMs(wantedMs)

  const show = (stop: Partial<Stop> | null | undefined) => {
    const key = queryKey(getClientStop, input)
    // A response that says nothing of the stop is no reason to show nothing: the read says it.
    if (stop === undefined || (stop !== null && stop.startedAt === undefined)) void mutate(key)
    else void mutate(key, stop, { revalidate: false })
    void mutate(queryKey(getClientLimits, input))
  }
  return {
    query,
    isStopping: stopping.isPending,
    isResuming: resuming.isPending,
    stop: async (body: StopRequest) => show(await stopping.trigger({ ...input, body })),
    resume: async () => show(await resuming.trigger(input)),
  }
}
