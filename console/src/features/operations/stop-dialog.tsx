import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Stop, StopRequest } from 'schema'
import type { PreviewOf } from '../../api/stop-preview.tsx'
import { StopProgress } from '../../api/stop-progress.tsx'
import { isInForce } from '../../api/stop-state.ts'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import { StopForm } from './stop-form.tsx'
import * as texts from './texts.ts'

interface StopDialogProps {
  readonly title: string
  readonly description: string
  /** What is offered before the stop. */
  readonly offer?: ReactNode
  readonly what: string
  readonly label: string
  readonly preview: PreviewOf
  /** As the gateway has it; what is in force is shown in place of the form. */
  readonly stop: Stop | null | undefined
  /** Whether the working orders are cancelled unless a person chooses otherwise. */
  readonly cancels?: boolean
  readonly isPending: boolean
  readonly onStop: (body: StopRequest) => void
  readonly onClose: () => void
}

/** Stops something, and shows what the gateway did. */
export function StopDialog(props: StopDialogProps) {
  const { title, description, offer, what, label, stop, cancels = true } = props
  const { preview, isPending, onStop, onClose } = props
  useFocusReturn()
  return (
    <Modal opened onClose={onClose} title={title} centered>
      <Stack gap="sm">
        {isInForce(stop) ? (
          <>
            <StopProgress stop={stop} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose} data-autofocus>
                {texts.close}
              </Button>
            </Group>
          </>
        ) : (
          <>
            {offer}
            <Text fz="sm">{description}</Text>
            <StopForm
              what={what}
              label={label}
              preview={preview}
              cancels={cancels}
              isPending={isPending}
              onStop={onStop}
            />
          </>
        )}
      </Stack>
    </Modal>
  )
}
