import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFocusReturn } from './use-focus-return.ts'

interface FormDialogProps {
  readonly title: string
  /** Of the button that sends the form; while it is sent, `pendingLabel`. */
  readonly label: string
  readonly pendingLabel: string
  readonly cancelLabel: string
  readonly isPending: boolean
  /** Whether there is nothing to send. */
  readonly isUnchanged?: boolean
  /** A click beside it closes it, unless something in it is shown once. */
  readonly closeOnClickOutside?: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form of few fields in a dialog. The fields have their own checks. */
export function FormDialog(props: FormDialogProps) {
  const { title, label, pendingLabel, cancelLabel, isPending, isUnchanged = false } = props
  const { closeOnClickOutside = true, onSubmit, onClose, children } = props
  useFocusReturn()
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      centered
      closeOnClickOutside={closeOnClickOutside}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
        noValidate
      >
        <Stack>
          {children}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {cancelLabel}
            </Button>
            <Button type="submit" disabled={isPending || isUnchanged}>
              {isPending ? pendingLabel : label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
