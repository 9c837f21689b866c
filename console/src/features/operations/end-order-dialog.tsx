import { SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  type BodyOf,
  EXCHANGE_NAMES,
  endOrder,
  getOperations,
  type JournalOrder,
  listOrders,
} from 'schema'
import { ApiError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/failures.tsx'
import { useSend } from '../../api/use-action.ts'
import { FormDialog } from '../../components/dialogs.tsx'
import { Details } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import * as texts from './texts.ts'

const words = texts.outcomes

interface EndOrderDialogProps {
  /** As it was when its button was pressed: its outcome may become known beneath. */
  readonly order: JournalOrder
  readonly onClose: () => void
}

/** Asks what became of an order whose outcome is unknown, and ends it so. */
export default function EndOrderDialog({ order, onClose }: EndOrderDialogProps) {
  const send = useSend({ readAgain: [getOperations, listOrders] })
  const [outcome, setOutcome] = useState<BodyOf<typeof endOrder>['outcome']>()
  const [reason, setReason] = useState('')
  const { id, exchange, clientId, clientOrderId, orderId, method, endpoint } = order
  const name = clientOrderId ?? orderId
  const end = async () => {
    if (outcome === undefined) return
    try {
      await send(endOrder, { params: { id }, body: { outcome, reason: reason.trim() } })
      toast(words.ended)
    } catch (failure) {
      if (failure instanceof ApiError && failure.problem.code === 'ORDER_NOT_UNKNOWN')
        toast({ ...words.known, tone: 'failure' })
      else reportFailure(failure)
    }
    onClose()
  }
  return (
    <FormDialog
      title={words.endTitle}
      label={words.endLabel}
      pendingLabel={words.ending}
      isUnchanged={outcome === undefined || reason.trim() === ''}
      onSubmit={end}
      onClose={onClose}
    >
      <Details
        rows={[
          [texts.queue.filters.exchange, EXCHANGE_NAMES[exchange]],
          [words.columns.client, clientId],
          [words.columns.call, `${method} ${endpoint}`],
          ...(name === null ? [] : [[words.columns.order, name] as const]),
        ]}
      />
      <Text fz="sm">{words.endText(howToFind(order))}</Text>
      <Stack gap={4}>
        <Text fz="sm" fw={500}>
          {words.found}
        </Text>
        <SegmentedControl
          fullWidth
          aria-label={words.found}
          data={[...words.findings]}
          value={outcome ?? ''}
          onChange={(value) => setOutcome(value === 'done' ? 'done' : 'not-done')}
        />
      </Stack>
      <TextInput
        label={words.reason}
        description={words.reasonHint}
        maxLength={200}
        autoComplete="off"
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </FormDialog>
  )
}

function howToFind({ clientOrderId, orderId }: JournalOrder): string {
  if (clientOrderId !== null) return words.how.clientOrderId
  return orderId === null ? words.how.none : words.how.orderId
}
