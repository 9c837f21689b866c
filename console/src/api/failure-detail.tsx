import { Text } from '@mantine/core'
import { wordsOf } from './api-error.ts'
import * as texts from './texts.ts'

/** The readable first line of a failure, and its whole text folded below when that says more. */
export function FailureDetail({ error }: { error: unknown }) {
  const { line, whole } = wordsOf(error)
  if (whole === undefined) return <span style={{ overflowWrap: 'anywhere' }}>{line}</span>
  return (
    <>
      <span style={{ overflowWrap: 'anywhere' }}>{line}</span>
      <details>
        <summary>{texts.details}</summary>
        <Text ff="monospace" fz="xs" style={{ overflowWrap: 'anywhere' }}>
          {whole}
        </Text>
      </details>
    </>
  )
}
