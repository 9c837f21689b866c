import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailureNote } from '../components/failure-note.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import * as texts from './texts.ts'

/**
 * Above everything behind the sign-in: says what to do when it cannot be fetched or shown at all.
 */
export function StartBoundary({ children }: { readonly children: ReactNode }) {
  return (
    <ErrorBoundary
      fallback={({ message }) => (
        <Stack align="center" justify="center" gap={0} h="100vh" p="md" component="main">
          <FailureNote
            title={texts.noStart}
            detail={texts.noStartDetail(window.location.host, message)}
            onRetry={() => window.location.reload()}
          />
        </Stack>
      )}
    >
      {children}
    </ErrorBoundary>
  )
}
