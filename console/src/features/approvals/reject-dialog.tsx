import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Approval } from 'schema'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import { wordsOf } from './approval-row.tsx'
import * as texts from './texts.ts'

interface RejectDialogProps {
  readonly approval: Approval
  readonly isPending: boolean
  readonly onReject: (reason: string) => void
  readonly onClose: () => void
}

/** Asks why something is rejected; the reason may stay away. */
export function RejectDialog({ approval, isPending, onReject, onClose }: RejectDialogProps) {
  const [reason, setReason] = useState('')
  useFocusReturn()
  const { action, subject } = wordsOf(approval)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onReject(reason.trim())
  }
  return (
    <Modal opened onClose={onClose} title={texts.rejectTitle(action, subject)} centered>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={texts.reason}
            description={texts.reasonHint}
            maxLength={200}
            data-autofocus
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" color="red.9" disabled={isPending}>
              {texts.decisions.reject}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
