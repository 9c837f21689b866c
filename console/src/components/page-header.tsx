import { Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

interface PageHeaderProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
}

let isFirstPage = true

/**
 * The heading of a page. It names the document and, after the first page, takes the focus: a change
 * of page is announced and the keyboard starts at its top.
 */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    document.title = `${title} · Sluice`
  }, [title])
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus({ preventScroll: true })
    isFirstPage = false
  }, [])

  return (
    <Group component="header" justify="space-between" align="flex-start" gap="sm" mb="lg">
      <div style={{ overflowWrap: 'anywhere' }}>
        <Title order={1} fz="h2" ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
          {title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" fz="sm" mt={4}>
            {description}
          </Text>
        )}
      </div>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  )
}
