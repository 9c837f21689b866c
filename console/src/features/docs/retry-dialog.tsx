import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as texts from './texts.ts'

interface RetryDialogProps {
  readonly onRetry: () => void
  readonly onNewOrder: () => void
  readonly onClose: () => void
}

const retry = texts.retry

/** Before another order goes out while nobody knows what became of the last one. */
export function RetryDialog({ onRetry, onNewOrder, onClose }: RetryDialogProps) {
  useFocusReturn()
  const then = (act: () => void) => () => {
    act()
    onClose()
  }
  return (
    <Modal opened onClose={onClose} title={retry.title} centered>
      <Stack>
        <Text fz="sm">{retry.text}</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={then(onNewOrder)}>
            {retry.newOrder}
          </Button>
          <Button onClick={then(onRetry)} data-autofocus>
            {retry.same}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
