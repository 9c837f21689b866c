import { Loader, Stack, Text } from '@mantine/core'
import { Component, type ReactNode, useEffect, useState } from 'react'
import { FailureNote } from '../components/failure-note.tsx'
import * as texts from './texts.ts'

const SLOW_MS = 3000

/** Fills the page while the stored session is checked; from 3 s on it says what it waits for. */
export function StartSpinner() {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Stack align="center" justify="center" gap={0} h="100vh" component="main">
      <Stack align="center" gap="sm" role="status" aria-label={texts.loading}>
        <Loader />
        {isSlow && <Text c="dimmed">{texts.slow}</Text>}
      </Stack>
    </Stack>
  )
}

interface ErrorBoundaryProps {
  readonly children: ReactNode
  /** What replaces the children once they broke; `retry` shows them again. */
  readonly fallback: (error: Error, retry: () => void) => ReactNode
}

/** Keeps what breaks inside from taking down what is around it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return this.props.fallback(error, () => this.setState({ error: null }))
  }
}

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
