import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailureNote } from '../components/failure-note.tsx'
import { ErrorBoundary } from './error-boundary.tsx'

/**
 * Above everything behind the sign-in: says what to do when it cannot be fetched or shown at all.
 */
export function StartBoundary({ children }: { readonly children: ReactNode }) {
  return (
    <ErrorBoundary
      fallback={({ message }) => (
        <Stack align="center" justify="center" gap={0} h="100vh" p="md" component="main">
          <FailureNote
            title="The console could not be loaded"
            detail={`Check the connection to ${window.location.host} and try again; this reloads the page. (${message})`}
            onRetry={() => window.location.reload()}
          />
        </Stack>
      )}
    >
      {children}
    </ErrorBoundary>
  )
}
