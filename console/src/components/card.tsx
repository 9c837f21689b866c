import { Group, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface CardProps {
  readonly title: ReactNode
  readonly description?: ReactNode
  /** At the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A titled part of a page; a region named by its heading. */
export function Card({ title, description, actions, children }: CardProps) {
  const id = useId()
  return (
    <Paper component="section" aria-labelledby={id} withBorder p="lg">
      <Group justify="space-between" align="flex-start" gap="sm" mb="md">
        <div>
          <Title order={2} fz="md" id={id} tabIndex={-1} style={{ outline: 'none' }}>
            {title}
          </Title>
          {description !== undefined && (
            <Text c="dimmed" fz="sm" mt={2}>
              {description}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Paper>
  )
}
