import { Text } from '@mantine/core'
import { ApiError } from './api-error.ts'

/** The readable first line of a failure, and its whole text folded below when that says more. */
export function FailureDetail({ error }: { error: unknown }) {
  const whole = error instanceof Error ? error.message : String(error)
  const line =
    error instanceof ApiError && error.serverMessage !== undefined
      ? `${error.status}: ${error.serverMessage}`
      : whole
  if (line === whole) return <span style={{ overflowWrap: 'anywhere' }}>{line}</span>
  return (
    <>
      <span style={{ overflowWrap: 'anywhere' }}>{line}</span>
      <details>
        <summary>Details</summary>
        <Text ff="monospace" fz="xs" style={{ overflowWrap: 'anywhere' }}>
          {whole}
        </Text>
      </details>
    </>
  )
}
