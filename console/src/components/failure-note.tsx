import { Alert, Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'
import * as texts from './texts.ts'

interface FailureNoteProps {
  /** What could not be done: "The client credentials could not be read". */
  readonly title: string
  /** The error's own words. */
  readonly detail: ReactNode
  readonly requestId?: string | null
  readonly onRetry: () => void
}

/** Shown in place of the data: what failed, the id to quote, and a way to try again. */
export function FailureNote({ title, detail, requestId = null, onRetry }: FailureNoteProps) {
  return (
    <Alert color="red" icon={<Icon name="alert" />} title={title} role="alert">
      <Text component="div" fz="sm" style={{ overflowWrap: 'anywhere' }}>
        {detail}
      </Text>
      {requestId !== null && (
        <Text fz="xs" mt={4} ff="monospace">
          {texts.requestId(requestId)}
        </Text>
      )}
      <Group mt="sm">
        <Button size="xs" variant="default" onClick={onRetry}>
          {texts.retry}
        </Button>
      </Group>
    </Alert>
  )
}
