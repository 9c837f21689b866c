import { Group, Stack } from '@mantine/core'
import { useState } from 'react'
import {
  getClientLimits,
  getClientStop,
  type LimitsWithUsage,
  listClients,
  resumeClient,
  type Stop,
  stopClient,
} from 'schema'
import { useSWRConfig } from 'swr'
import { attempt } from '../../api/failures.tsx'
import { QueryView, queryKey, useLiveQuery } from '../../api/queries.tsx'
import { ActionButton } from '../../api/role.tsx'
import { isStopUnsent, StopDialog } from '../../api/stop-dialog.tsx'
import { StopProgress } from '../../api/stop-progress.tsx'
import { isInForce, isUnderWay, useResuming } from '../../api/stop-state.ts'
import { useAction } from '../../api/use-action.ts'
import { formatDateTime } from '../../components/format.ts'
import { Card, Quiet } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { does, stop as texts } from './client-page-texts.ts'
import type { ClientRecord } from './use-clients.ts'

const EVERY_MS = 5000
/** While a stop cancels orders. */
const UNDER_WAY_MS = 1000

/** A client's last stop, and what tries again to cancel its orders. */
export function useClientStop(id: number) {
  const { mutate } = useSWRConfig()
  const [everyMs, setEveryMs] = useState(EVERY_MS)
  const input = { params: { id } }
  const query = useLiveQuery(getClientStop, everyMs, false, input)
  const { data } = query
  const stopping = useAction(stopClient, { readAgain: [listClients], alsoOffline: true })

  // The response to a stop comes late: the reads show how far it is.
  const wantedMs = stopping.isPending || isUnderWay(data) ? UNDER_WAY_MS : EVERY_MS
  if (wantedMs !== everyMs) setEveryMs(wantedMs)

  const readAgain = () => {
    void query.refresh()
    void mutate(queryKey(getClientLimits, input))
  }
  const cancelOrders = async () => {
    if (!isInForce(data)) return
    await attempt(async () => {
      await stopping.trigger({ ...input, body: { reason: data.reason, cancelOrders: true } })
      toast({ title: texts.done.title, message: texts.done.text })
      readAgain()
    })
  }
  return { query, isStopping: stopping.isPending, cancelOrders, readAgain }
}

type ClientStop = ReturnType<typeof useClientStop>

interface StopButtonProps {
  readonly client: ClientRecord
  /** Undefined when they cannot be read: the client can be stopped nevertheless. */
  readonly limits: LimitsWithUsage | undefined
  readonly clientStop: ClientStop
}

/** Stops a client, or ends its stop; beside its name. */
export function StopButton({ client, limits, clientStop }: StopButtonProps) {
  const { query, readAgain } = clientStop
  const { id, clientId } = client
  const resuming = useResuming()
  const state = limits?.state ?? client.state
  const target = {
    ...{ id, clientId, ...(state === undefined ? {} : { state }) },
    wouldHaveRefused: limits?.mode === 'shadow' ? limits.usage.wouldHaveRefused : null,
  }
  const [isAsking, setAsking] = useState(() => isStopUnsent({ client: target }))
  const resume = async () => {
    if (await resuming.client({ id, clientId, state: 'stopped' }, query.data)) readAgain()
  }
  return (
    <>
      {isInForce(query.data) ? (
        <ActionButton
          endpoint={resumeClient}
          variant="filled"
          label={texts.resume}
          does={does.resume}
          run={() => void resume()}
        />
      ) : (
        <ActionButton
          endpoint={stopClient}
          color="red"
          variant="outline"
          icon="ban"
          label={texts.label}
          does={does.stop}
          run={() => setAsking(true)}
        />
      )}
      {isAsking && (
        <StopDialog
          of={{ client: target }}
          onClose={() => {
            setAsking(false)
            readAgain()
          }}
        />
      )}
    </>
  )
}

/** How far a stop is, or what the last one was; nothing for a client that was never stopped. */
export function StopCard({ query, isStopping, cancelOrders }: ClientStop) {
  const { data, error } = query
  const inForce = isInForce(data)
  if (data == null && error === undefined) return null
  return (
    <Card title={texts.title}>
      <Stack gap="md">
        {error !== undefined && data === undefined && (
          <QueryView query={query} what={texts.what}>
            {() => null}
          </QueryView>
        )}
        {inForce && <StopProgress stop={data} />}
        {data != null && !inForce && (
          <Quiet style={{ overflowWrap: 'anywhere' }}>{lastStopWords(data)}</Quiet>
        )}
        {inForce && !isUnderWay(data) && (
          <Group>
            <ActionButton
              endpoint={stopClient}
              label={data.failed.length > 0 ? texts.retry : texts.cancel}
              does={does.cancel}
              disabled={isStopping}
              run={() => void cancelOrders()}
            />
          </Group>
        )}
      </Stack>
    </Card>
  )
}

const lastStopWords = ({ reason, startedAt, resumedAt }: Stop) =>
  texts.last(reason, formatDateTime(startedAt), formatDateTime(resumedAt ?? ''))
