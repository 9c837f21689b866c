import { Box, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface RowProps {
  readonly title: ReactNode
  readonly facts: string
  readonly children: ReactNode
}

/** An entry of a short list: what it is, what is known of it, and what can be done. */
export function Row({ title, facts, children }: RowProps) {
  return (
    <Group component="li" justify="space-between" gap="xs">
      <Box miw={0} flex="1 1 220px" style={{ overflowWrap: 'anywhere' }}>
        <Group gap="xs" fz="sm" fw={600}>
          {title}
        </Group>
        <Text fz="sm" c="dimmed">
          {facts}
        </Text>
      </Box>
      <Group gap="xs">{children}</Group>
    </Group>
  )
}
