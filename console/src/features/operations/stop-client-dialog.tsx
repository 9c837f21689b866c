import { getClientStop, type ListedClient, previewClientStop, type StopRequest } from 'schema'
import { ReduceFirst } from '../../api/reduce-first.tsx'
import { reportFailure } from '../../api/report-failure.tsx'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { StopDialog } from './stop-dialog.tsx'
import { STOP_EVERY_MS } from './stop-everything.tsx'
import * as texts from './texts.ts'
import { useStopClient } from './use-operations-actions.ts'

interface StopClientDialogProps {
  readonly client: Pick<ListedClient, 'id' | 'clientId' | 'state'>
  readonly onClose: () => void
}

const words = texts.clients

/** Stops a client, and shows what the gateway did. */
export function StopClientDialog({ client, onClose }: StopClientDialogProps) {
  const { id, clientId, state } = client
  const { trigger, isPending } = useStopClient()
  const query = useLiveQuery(getClientStop, STOP_EVERY_MS, false, { params: { id } })
  const stop = async (body: StopRequest) => {
    try {
      await trigger({ params: { id }, body })
      await query.refresh()
    } catch (failure) {
      reportFailure(failure)
    }
  }
  return (
    <StopDialog
      title={words.stopTitle(clientId)}
      description={words.stopDescription}
      offer={state === 'active' && <ReduceFirst id={id} onDone={onClose} />}
      what={clientId}
      label={words.stopLabel}
      preview={{ endpoint: previewClientStop, input: { params: { id } } }}
      stop={query.data}
      isPending={isPending}
      onStop={(body) => void stop(body)}
      onClose={onClose}
    />
  )
}
