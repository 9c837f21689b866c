import { Code, Text } from '@mantine/core'
import { useState } from 'react'
import { reportFailure } from '../../api/report-failure.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import { useWhileMounted } from '../../components/use-while-mounted.ts'
import * as texts from './texts.ts'
import { type ClientRecord, useDeleteClient } from './use-clients.ts'

interface DeleteClientDialogProps {
  readonly client: ClientRecord
  readonly onDeleted: () => void
  readonly onClose: () => void
}

/** Two confirmations, one after the other: what will be lost, then of which client. */
export function DeleteClientDialog({ client, onDeleted, onClose }: DeleteClientDialogProps) {
  useFocusReturn()
  const closeThis = useWhileMounted(onClose)
  const [step, setStep] = useState<'first' | 'last'>('first')
  const { remove, isPending } = useDeleteClient()
  const confirm = async () => {
    try {
      await remove(client)
      toast({ title: texts.deleted.title, message: texts.deleted.text })
      onDeleted()
    } catch (error) {
      reportFailure(error)
    }
    closeThis()
  }

  if (step === 'first') {
    const { title, text, items, consequence, confirm: label } = texts.confirmFirst
    return (
      <ConfirmDialog
        key="first"
        title={title}
        confirmLabel={label}
        onConfirm={() => setStep('last')}
        onCancel={onClose}
      >
        <Text fz="sm">{text}</Text>
        <Text component="ul" fz="sm" my={0} pl="lg">
          {items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </Text>
        <Text fz="sm" fw={600}>
          {consequence}
        </Text>
      </ConfirmDialog>
    )
  }
  const { title, question, lastChance, confirm: label } = texts.confirmLast
  return (
    <ConfirmDialog
      key="last"
      title={title}
      confirmLabel={label}
      confirmName={`${label}: ${client.clientId}`}
      isPending={isPending}
      onConfirm={() => void confirm()}
      onCancel={onClose}
    >
      <Text fz="sm">{question}</Text>
      <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {client.clientId}
      </Code>
      <Text fz="sm" fw={600}>
        {lastChance}
      </Text>
    </ConfirmDialog>
  )
}
