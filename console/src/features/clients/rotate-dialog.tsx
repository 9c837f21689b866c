import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { OLD_SECRET_SECONDS } from 'schema'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as secretTexts from './secret-texts.ts'
import * as texts from './texts.ts'

interface RotateDialogProps {
  readonly isPending: boolean
  readonly onRotate: (oldSecretValidSeconds: number) => void
  readonly onCancel: () => void
}

const { title, text, duration, durations, atOnce, submit, submitting } = secretTexts.rotate

/** Asks how long the present secret still works beside a new one. */
export function RotateDialog({ isPending, onRotate, onCancel }: RotateDialogProps) {
  useFocusReturn()
  const [seconds, setSeconds] = useState(String(OLD_SECRET_SECONDS))
  return (
    <Modal opened onClose={onCancel} title={title} centered>
      <Stack>
        <Text fz="sm">{text}</Text>
        <NativeSelect
          label={duration}
          data={[...durations]}
          value={seconds}
          onChange={(event) => setSeconds(event.currentTarget.value)}
          data-autofocus
        />
        <Text fz="sm" fw={600} role="status">
          {seconds === '0' && atOnce}
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            {texts.cancel}
          </Button>
          <Button disabled={isPending} onClick={() => onRotate(Number(seconds))}>
            {isPending ? submitting : submit}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
