import { Badge, Text } from '@mantine/core'
import type { ApiKey } from 'schema'
import * as texts from './texts.ts'

/**
 * The outcome of the last test; everything but success counts as failure, and the line below says
 * which kind.
 */
export function TestStatus({ apiKey }: { readonly apiKey: ApiKey }) {
  const hasPassed = apiKey.testStatus === 'success'
  const hint = hintOf(apiKey)
  return (
    <>
      <Badge variant="light" color={hasPassed ? 'green' : 'red'}>
        {hasPassed ? texts.table.success : texts.table.failure}
      </Badge>
      {hint !== undefined && (
        <Text fz="xs" c="dimmed" mt={2} maw={280} lineClamp={2} title={hint}>
          {hint}
        </Text>
      )}
    </>
  )
}

function hintOf({ testStatus, testMessage, isReadable }: ApiKey): string | undefined {
  if (isReadable === false) return texts.table.unreadable
  if (testStatus === 'success') return undefined
  return testStatus === 'failure' ? (testMessage ?? undefined) : texts.table.untested
}
