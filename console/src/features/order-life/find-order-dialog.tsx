import { Modal } from '@mantine/core'
import { FindOrder } from './find-order.tsx'
import { texts } from './texts.ts'

interface FindOrderDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** The field that finds an order, over whatever page is open. */
export default function FindOrderDialog({ isOpen, onClose }: FindOrderDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={texts.find.title} size="lg">
      <FindOrder onOpen={onClose} />
    </Modal>
  )
}
