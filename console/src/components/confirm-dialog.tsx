import { Button, Group, Modal, Stack } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import * as texts from './page-texts.ts'

const GUARD_MS = 300

/** A double click on what opened a dialog must neither confirm it nor close it. */
export function useGuard(): boolean {
  const [isGuarded, setGuarded] = useState(true)
  useEffect(() => {
    const timer = setTimeout(() => setGuarded(false), GUARD_MS)
    return () => clearTimeout(timer)
  }, [])
  return isGuarded
}

interface ConfirmDialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly confirmLabel: string
  /** The button's name when the label alone does not say of what; contains the label. */
  readonly confirmName?: string
  readonly isPending?: boolean
  /** Whether it takes nothing away: its button is then not red. */
  readonly isHarmless?: boolean
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

/**
 * Asks before something that cannot be undone. Cancel has the focus; Escape, the overlay and the
 * close button cancel.
 */
export function ConfirmDialog({
  title,
  children,
  confirmLabel,
  confirmName,
  isPending = false,
  isHarmless = false,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const isGuarded = useGuard()
  return (
    <Modal opened onClose={onCancel} title={title} centered closeOnClickOutside={!isGuarded}>
      <Stack>
        {children}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} data-autofocus>
            {texts.cancel}
          </Button>
          <Button
            {...(isHarmless ? {} : { color: 'red.9' })}
            aria-label={confirmName}
            onClick={onConfirm}
            disabled={isGuarded || isPending}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
