import { Text } from '@mantine/core'
import { EXCHANGE_NAMES, type QueueEntry } from 'schema'
import { ApiError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Details } from '../../components/details.tsx'
import { toast } from '../../components/toast.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as texts from './texts.ts'
import { exchangesOf, useDropClient, useDropEntry } from './use-queue.ts'

const words = texts.queue

interface DropEntryDialogProps {
  /** As it was when its button was pressed: the queue moves on beneath. */
  readonly entry: QueueEntry
  readonly onClose: () => void
}

/** Asks before a waiting request is dropped. */
export function DropEntryDialog({ entry, onClose }: DropEntryDialogProps) {
  useFocusReturn()
  const { trigger, isPending } = useDropEntry()
  const { exchange, id, clientId, requestClass, method, endpoint } = entry
  const order = entry.clientOrderId ?? entry.orderId
  const drop = async () => {
    try {
      await trigger({ params: { exchange, id }, query: {} })
      toast(words.dropped)
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 404) {
        toast({ ...words.gone, tone: 'failure' })
      } else reportFailure(failure)
    }
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.dropTitle}
      confirmLabel={words.drop}
      isPending={isPending}
      onConfirm={() => void drop()}
      onCancel={onClose}
    >
      <Details
        rows={[
          [words.filters.exchange, EXCHANGE_NAMES[exchange]],
          [words.columns.client, clientId],
          [words.columns.requestClass, texts.classes[requestClass]],
          [words.call, `${method} ${endpoint}`],
          ...(order == null ? [] : [[texts.outcomes.columns.order, order] as const]),
        ]}
      />
      <Text fz="sm">{words.dropText}</Text>
    </ConfirmDialog>
  )
}

interface DropClientDialogProps {
  readonly clientId: string
  /** What waits of it now. */
  readonly entries: readonly QueueEntry[]
  readonly onClose: () => void
}

/** Asks before all that waits of a client is dropped. */
export function DropClientDialog({ clientId, entries, onClose }: DropClientDialogProps) {
  useFocusReturn()
  const { drop, isPending } = useDropClient()
  const exchanges = exchangesOf(entries)
  const confirm = async () => {
    try {
      toast(words.droppedAll(await drop(clientId, exchanges)))
    } catch (failure) {
      reportFailure(failure)
    }
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.dropAllTitle(clientId)}
      confirmLabel={words.dropAllLabel}
      isPending={isPending}
      onConfirm={() => void confirm()}
      onCancel={onClose}
    >
      <Text fz="sm">
        {words.dropAllText(
          entries.length,
          exchanges.map((code) => EXCHANGE_NAMES[code]).join(' and '),
        )}
      </Text>
    </ConfirmDialog>
  )
}
