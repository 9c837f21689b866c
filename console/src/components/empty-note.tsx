import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icons.tsx'

interface EmptyNoteProps {
  readonly icon: IconName
  readonly title: string
  readonly hint?: string
  readonly action?: ReactNode
}

/** Shown in place of rows: that there are none, and what to do about it. */
export function EmptyNote({ icon, title, hint, action }: EmptyNoteProps) {
  return (
    <Stack align="center" gap={4} py="xl" ta="center">
      <Icon name={icon} size={28} style={{ color: 'var(--mantine-color-dimmed)' }} />
      <Text fw={600} mt="xs">
        {title}
      </Text>
      {hint !== undefined && (
        <Text c="dimmed" fz="sm">
          {hint}
        </Text>
      )}
      {action}
    </Stack>
  )
}
